/* RS4GC gives every live reference a variable, written at each statepoint and read before the next.
 * For each read, LLVM's promotion searches the block from its start: n references in a block of n
 * calls take n^4 steps. So blocks are split after each safepoint if they have many.
 *
 * With long-lived references in slots, few are live at a safepoint. Allocas of constant size
 * stay in the entry block, before all safepoints (optimise/static_allocas.c). */
#include <llvm-c/Core.h>

#include "codegen/ir/ir.h"
#include "codegen/lower/expand/slots.h"
#include "codegen/lower/phases.h"

enum { SAFEPOINTS_MANY_IN_BLOCK = 16 };

static unsigned count_safepoints(LLVMBasicBlockRef block) {
  unsigned count = 0;
  IR_EACH_INSTRUCTION (instruction, block)
    count += spgc_ir_is_safepoint(instruction);
  return count;
}

static bool can_be_redirected(LLVMBasicBlockRef block) {
  LLVMValueRef value = LLVMBasicBlockAsValue(block);
  IR_EACH_USER (user, value)
    if (!LLVMIsATerminatorInst(user) || LLVMIsAIndirectBrInst(user))
      return false;
  return true;
}

static void redirect(LLVMValueRef terminator, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
  for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++)
    if (LLVMGetSuccessor(terminator, i) == from)
      LLVMSetSuccessor(terminator, i, to);
}

/* Moves at most `safepoints` into a new block before this one. */
static void cut_off_beginning(LLVMBasicBlockRef block, unsigned safepoints,
                              LLVMBuilderRef builder) {
  LLVMValueRef value = LLVMBasicBlockAsValue(block);
  LLVMBasicBlockRef beginning =
      LLVMInsertBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(value)), block, "");
  for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetFirstUse(value))
    redirect(LLVMGetUser(use), block, beginning);
  LLVMPositionBuilderAtEnd(builder, beginning);
  while (safepoints != 0) {
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    safepoints -= spgc_ir_is_safepoint(first);
    LLVMInstructionRemoveFromParent(first);
    LLVMInsertIntoBuilder(builder, first);
  }
  LLVMBuildBr(builder, block);
}

static void cut(LLVMBasicBlockRef block, unsigned each, LLVMBuilderRef builder) {
  unsigned safepoints = count_safepoints(block);
  if (safepoints < SAFEPOINTS_MANY_IN_BLOCK || !can_be_redirected(block))
    return;
  for (; safepoints > each; safepoints -= each)
    cut_off_beginning(block, each, builder);
}

void spgc_cut_long_blocks(struct lowering *lowering, LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(lowering->module));
  unsigned each = spgc_slot_array(function) == NULL ? 1 : SAFEPOINTS_MANY_IN_BLOCK;
  IR_EACH_BLOCK (block, function)
    cut(block, each, builder);
  LLVMDisposeBuilder(builder);
}
