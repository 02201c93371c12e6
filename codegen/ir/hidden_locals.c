/* Copies of parts of objects in local variables: finds uses of the bytes after a safepoint. */
#include "codegen/ir/hidden_locals.h"

#include <stddef.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"

enum { DESTINATION, SOURCE, LENGTH };

/* A walk from a copy into a local variable to the places where the variable is read. */
struct walk {
  LLVMValueRef copy, variable;
  bool escapes;
  struct values fresh, stale; /* blocks entered before and after a safepoint */
};

static bool is_based_on(LLVMValueRef pointer, LLVMValueRef variable) {
  return LLVMGetTypeKind(LLVMTypeOf(pointer)) == LLVMPointerTypeKind &&
         !spgc_ir_is_reference(pointer) && spgc_ir_underlying_alloca(pointer) == variable;
}

static bool is_lifetime(LLVMValueRef instruction) {
  return spgc_ir_is_intrinsic(instruction, "llvm.lifetime.");
}

/* True if the instruction copies the bytes to other memory, or passes their address. */
static bool passes_on(const struct walk *walk, LLVMValueRef instruction) {
  if (spgc_ir_is_memory_transfer(instruction))
    return is_based_on(LLVMGetOperand(instruction, SOURCE), walk->variable);
  if (!spgc_ir_is_call(instruction) || spgc_ir_is_any_intrinsic(instruction))
    return false;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(instruction); i++)
    if (is_based_on(LLVMGetArgOperand(instruction, i), walk->variable))
      return true;
  return false;
}

static bool ends(const struct walk *walk, LLVMValueRef instruction) {
  if (is_lifetime(instruction))
    return is_based_on(spgc_ir_lifetime_pointer(instruction), walk->variable);
  return instruction == walk->copy ||
         (spgc_ir_is_memory_transfer(instruction) &&
          LLVMGetOperand(instruction, DESTINATION) == LLVMGetOperand(walk->copy, DESTINATION) &&
          LLVMGetOperand(instruction, LENGTH) == LLVMGetOperand(walk->copy, LENGTH));
}

static bool is_safepoint(LLVMValueRef instruction) {
  return spgc_ir_is_call(instruction) && !spgc_ir_call_is_leaf(instruction);
}

/* Every way round a loop goes to a block that does not come later in the function, and may poll
 * there. */
static bool goes_back(LLVMValueRef terminator, LLVMBasicBlockRef target) {
  for (LLVMBasicBlockRef block = LLVMGetNextBasicBlock(LLVMGetInstructionParent(terminator));
       block != NULL; block = LLVMGetNextBasicBlock(block))
    if (block == target)
      return false;
  return true;
}

static void enter(struct walk *walk, LLVMValueRef terminator, bool stale) {
  for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++) {
    LLVMValueRef block = LLVMBasicBlockAsValue(LLVMGetSuccessor(terminator, i));
    bool polled = goes_back(terminator, LLVMGetSuccessor(terminator, i));
    struct values *entered = stale || polled ? &walk->stale : &walk->fresh;
    if (!spgc_values_contain(entered, block))
      spgc_values_add(entered, block);
  }
}

/* The use, from `start` on, that comes after a safepoint; NULL when there is none in the block. */
static LLVMValueRef walk_block(struct walk *walk, LLVMValueRef start, bool stale) {
  LLVMValueRef last = NULL;
  for (LLVMValueRef instruction = start; instruction != NULL;
       instruction = LLVMGetNextInstruction(instruction)) {
    bool safepoint = is_safepoint(instruction), passed = passes_on(walk, instruction);
    if ((passed && (stale || safepoint)) || (safepoint && walk->escapes))
      return instruction;
    if (ends(walk, instruction))
      return NULL;
    stale = stale || safepoint;
    last = instruction;
  }
  enter(walk, last, stale);
  return NULL;
}

static bool escapes(LLVMValueRef variable) {
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(variable));
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      if (LLVMIsAStoreInst(instruction) && is_based_on(LLVMGetOperand(instruction, 0), variable))
        return true;
  return false;
}

LLVMValueRef spgc_local_stale_use(LLVMValueRef copy, LLVMValueRef variable) {
  struct walk walk = {.copy = copy, .variable = variable, .escapes = escapes(variable)};
  LLVMValueRef found = walk_block(&walk, LLVMGetNextInstruction(copy), false);
  unsigned fresh = 0, stale = 0;
  while (found == NULL && (fresh < walk.fresh.count || stale < walk.stale.count)) {
    bool is_stale = stale < walk.stale.count;
    LLVMValueRef block = is_stale ? walk.stale.at[stale++] : walk.fresh.at[fresh++];
    found = walk_block(&walk, LLVMGetFirstInstruction(LLVMValueAsBasicBlock(block)), is_stale);
  }
  spgc_values_free(&walk.fresh);
  spgc_values_free(&walk.stale);
  return found;
}

bool spgc_local_is_passed_on(LLVMValueRef copy, LLVMValueRef variable) {
  struct walk walk = {.copy = copy, .variable = variable};
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(copy));
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      if (passes_on(&walk, instruction))
        return true;
  return escapes(variable);
}
