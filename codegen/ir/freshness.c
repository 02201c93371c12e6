#include "codegen/ir/freshness.h"

#include <stddef.h>

#include "codegen/ir/ir.h"

/* The prelude's load of the cursor: volatile, through the thread's words. No other load of a
 * reference looks so, because a thread-local variable that holds references is rejected. */
static bool is_cursor_load(LLVMValueRef value) {
  if (!LLVMIsALoadInst(value) || !LLVMGetVolatile(value))
    return false;
  return spgc_ir_is_thread_word(LLVMGetOperand(value, 0));
}

enum { STATEPOINT_CALLEE = 2 };

static bool is_slow_allocation(LLVMValueRef value) {
  if (!spgc_ir_is_intrinsic(value, "llvm.experimental.gc.result"))
    return false;
  LLVMValueRef statepoint = LLVMGetOperand(value, 0);
  return spgc_ir_is_statepoint(statepoint) &&
         spgc_ir_name_is(LLVMGetOperand(statepoint, STATEPOINT_CALLEE), "spgc_allocate_slow");
}

/* The number of blocks that the search may enter. Beyond the limit the answer is no. */
enum { SEARCH_LIMIT = 64 };

struct search {
  LLVMValueRef definition;
  LLVMBasicBlockRef blocks[SEARCH_LIMIT];
  size_t count;
};

/* Reads a block backwards from `from`. */
enum reading { FOUND_DEFINITION, FOUND_SAFEPOINT, FOUND_START };

static enum reading read_backwards(const struct search *search, LLVMValueRef from) {
  for (LLVMValueRef instruction = from; instruction != NULL;
       instruction = LLVMGetPreviousInstruction(instruction)) {
    if (instruction == search->definition)
      return FOUND_DEFINITION;
    if (spgc_ir_is_statepoint(instruction))
      return FOUND_SAFEPOINT;
  }
  return FOUND_START;
}

static bool enter(struct search *search, LLVMBasicBlockRef block) {
  for (size_t i = 0; i < search->count; i++)
    if (search->blocks[i] == block)
      return true;
  if (search->count == SEARCH_LIMIT)
    return false;
  search->blocks[search->count++] = block;
  return true;
}

/* The predecessors are the blocks of the terminators that use the block. */
static bool enter_predecessors(struct search *search, LLVMBasicBlockRef block) {
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use != NULL;
       use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAInstruction(user) == NULL || LLVMIsATerminatorInst(user) == NULL)
      return false;
    if (!enter(search, LLVMGetInstructionParent(user)))
      return false;
  }
  return true;
}

/* The definition dominates the use, so every path back from the use meets it. */
static bool reached_without_safepoint(LLVMValueRef definition, LLVMValueRef use) {
  struct search search = {.definition = definition};
  enum reading reading = read_backwards(&search, LLVMGetPreviousInstruction(use));
  if (reading != FOUND_START)
    return reading == FOUND_DEFINITION;
  if (!enter_predecessors(&search, LLVMGetInstructionParent(use)))
    return false;
  for (size_t i = 0; i < search.count; i++) {
    reading = read_backwards(&search, LLVMGetLastInstruction(search.blocks[i]));
    if (reading == FOUND_SAFEPOINT)
      return false;
    if (reading == FOUND_START && !enter_predecessors(&search, search.blocks[i]))
      return false;
  }
  return true;
}

/* The two paths of an allocation meet in a phi, and so do allocations whose stores were merged. */
enum { PHI_DEPTH = 3, MOST_INCOMING = 16 };

/* The object is an allocation, or one of several, and no safepoint was reached since. */
static bool is_fresh(LLVMValueRef object, LLVMValueRef use, unsigned depth) {
  bool is_phi = LLVMIsAPHINode(object) != NULL;
  if ((!is_phi && !is_cursor_load(object) && !is_slow_allocation(object)) || depth > PHI_DEPTH ||
      spgc_ir_is_statepoint(use) || !reached_without_safepoint(object, use))
    return false;
  if (is_phi && LLVMCountIncoming(object) > MOST_INCOMING)
    return false;
  for (unsigned i = 0; is_phi && i < LLVMCountIncoming(object); i++)
    if (!is_fresh(LLVMGetIncomingValue(object, i),
                  LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(object, i)), depth + 1))
      return false;
  return true;
}

bool spgc_is_fresh_target(LLVMValueRef address, LLVMValueRef use) {
  return is_fresh(spgc_ir_underlying_object(address), use, 0);
}
