/* Gives each cast of a pointer to a number one form.
 *
 * LLVM 22 has two: ptrtoint, and ptrtoaddr, whose result is the address alone and tells the
 * optimiser nothing of the object. On this processor both give the same number. Every later phase
 * knows ptrtoint, and hides it where the optimiser must not know it.
 */
#include <llvm/Config/llvm-config.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"

#if LLVM_VERSION_MAJOR >= 22
static void replace(LLVMBuilderRef builder, LLVMValueRef cast) {
  LLVMPositionBuilderBefore(builder, cast);
  LLVMReplaceAllUsesWith(cast,
                         LLVMBuildPtrToInt(builder, LLVMGetOperand(cast, 0), LLVMTypeOf(cast), ""));
  LLVMInstructionEraseFromParent(cast);
}

enum spgc_result spgc_name_address_casts(struct lowering *lowering, struct spgc_error *error) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(lowering->module));
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next; instruction != NULL;
           instruction = next) {
        next = LLVMGetNextInstruction(instruction);
        if (LLVMGetInstructionOpcode(instruction) == LLVMPtrToAddr)
          replace(builder, instruction);
      }
  LLVMDisposeBuilder(builder);
  return SPGC_OK;
}
#else
enum spgc_result spgc_name_address_casts(struct lowering *lowering, struct spgc_error *error) {
  return SPGC_OK;
}
#endif
