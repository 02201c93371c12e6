/* Only in the entry block does LLVM give an alloca of constant size one place in each frame. Polls
 * and inline allocation split that block, and calls may precede allocas, so allocas move to the
 * front before. */
#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"

void spgc_gather_allocas(struct lowering *lowering, LLVMValueRef function) {
  struct values late = {0};
  for (LLVMValueRef at = spgc_ir_first_after_allocas(function); at != NULL;
       at = LLVMGetNextInstruction(at))
    if (LLVMIsAAllocaInst(at) && LLVMIsAConstantInt(LLVMGetOperand(at, 0)) != NULL)
      spgc_values_add(&late, at);
  for (unsigned i = 0; i < late.count; i++) {
    LLVMInstructionRemoveFromParent(late.at[i]);
    LLVMPositionBuilderBefore(lowering->builder, spgc_ir_first_after_allocas(function));
    LLVMInsertIntoBuilder(lowering->builder, late.at[i]);
  }
  spgc_values_free(&late);
}
