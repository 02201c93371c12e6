/* LLVM's verifier does not check dominance in unreachable blocks, so a value may be computed from
 * itself there, and every walk over operands would need a guard. The blocks and their terminators
 * stay, because phis name them; so do tokens, which cannot be poison, and allocas, for other
 * rules. */
#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"

/* The list grows while the loop runs. */
static void follow(struct values *reached, LLVMValueRef function) {
  spgc_values_add(reached, LLVMBasicBlockAsValue(LLVMGetEntryBasicBlock(function)));
  for (unsigned i = 0; i < reached->count; i++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMValueAsBasicBlock(reached->at[i]));
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
      spgc_values_add_new(reached, LLVMBasicBlockAsValue(LLVMGetSuccessor(end, k)));
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

void spgc_empty_unreachable_blocks(struct lowering *lowering, LLVMValueRef function) {
  struct values reached = {0};
  follow(&reached, function);
  IR_EACH_BLOCK (block, function)
    if (!spgc_values_contain(&reached, LLVMBasicBlockAsValue(block)))
      empty(block);
  spgc_values_free(&reached);
}
