/* Removes annotations of pointers, which clang writes where a member of a structure has the
 * attribute `annotate`. LLVM has no use for them, but takes their results for addresses of objects,
 * and for pointers that it knows nothing of. */
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"

enum spgc_result spgc_drop_annotations(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next; instruction != NULL;
           instruction = next) {
        next = LLVMGetNextInstruction(instruction);
        if (!spgc_ir_is_annotation(instruction))
          continue;
        LLVMReplaceAllUsesWith(instruction, LLVMGetArgOperand(instruction, 0));
        LLVMInstructionEraseFromParent(instruction);
      }
  return SPGC_OK;
}
