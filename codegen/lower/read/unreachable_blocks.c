/* Empties the blocks that no path from a function's entry reaches.
 *
 * In such a block a value may be computed from itself, because LLVM's verifier does not ask there
 * what comes first. Every walk from a value to what it is computed from would go on for ever, or
 * would need a guard. So their instructions go before any phase looks at them, and their values
 * become poison. The blocks and their last instructions stay, because phis of other blocks name
 * them. Tokens stay, because none is poison, and so do allocas, which other rules need.
 */
#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

struct block {
  LLVMBasicBlockRef block;
  bool is_reached;
};

/* The blocks of a function by address, and those that are reached and still to be followed. */
struct blocks {
  struct block *at;
  LLVMBasicBlockRef *waiting;
  unsigned count, waiting_count;
};

static int compare(const void *left, const void *right) {
  uintptr_t first = (uintptr_t)((const struct block *)left)->block,
            second = (uintptr_t)((const struct block *)right)->block;
  return (first > second) - (first < second);
}

static void reach(struct blocks *blocks, LLVMBasicBlockRef block) {
  struct block key = {block, false};
  struct block *found = bsearch(&key, blocks->at, blocks->count, sizeof key, compare);
  spgc_require(found != NULL, "a branch leads out of its function");
  if (!found->is_reached)
    blocks->waiting[blocks->waiting_count++] = block;
  found->is_reached = true;
}

static void list(struct blocks *blocks, LLVMValueRef function) {
  unsigned count = LLVMCountBasicBlocks(function);
  blocks->at = spgc_zeroed(count, sizeof *blocks->at);
  blocks->waiting = spgc_zeroed(count, sizeof(LLVMBasicBlockRef));
  IR_EACH_BLOCK (block, function)
    blocks->at[blocks->count++].block = block;
  qsort(blocks->at, blocks->count, sizeof *blocks->at, compare);
}

static void follow(struct blocks *blocks, LLVMValueRef function) {
  reach(blocks, LLVMGetEntryBasicBlock(function));
  while (blocks->waiting_count > 0) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks->waiting[--blocks->waiting_count]);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
      reach(blocks, LLVMGetSuccessor(end, i));
  }
}

static bool stays(LLVMValueRef instruction) {
  return LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMTokenTypeKind ||
         LLVMIsAAllocaInst(instruction) != NULL || LLVMIsALandingPadInst(instruction) != NULL;
}

static void empty(LLVMBasicBlockRef block) {
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next; instruction != NULL;
       instruction = next) {
    next = LLVMGetNextInstruction(instruction);
    if (stays(instruction))
      continue;
    if (LLVMGetTypeKind(LLVMTypeOf(instruction)) != LLVMVoidTypeKind)
      LLVMReplaceAllUsesWith(instruction, LLVMGetPoison(LLVMTypeOf(instruction)));
    if (instruction != end)
      LLVMInstructionEraseFromParent(instruction);
  }
}

static void empty_unreached(LLVMValueRef function) {
  struct blocks blocks = {0};
  list(&blocks, function);
  follow(&blocks, function);
  for (unsigned i = 0; i < blocks.count; i++)
    if (!blocks.at[i].is_reached)
      empty(blocks.at[i].block);
  free(blocks.at);
  free((void *)blocks.waiting);
}

enum spgc_result spgc_empty_unreachable_blocks(struct lowering *lowering,
                                               struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    if (!LLVMIsDeclaration(function))
      empty_unreached(function);
  return SPGC_OK;
}
