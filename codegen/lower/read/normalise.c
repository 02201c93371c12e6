/* Gives a module the form that the other phases know, whoever wrote it.
 *
 * - Declarations of intrinsics that nothing calls go. LLVM leaves some behind when it rewrites the
 *   intrinsics of earlier releases. Linking the prelude would give them attributes that do not fit.
 * - LLVM 22's ptrtoaddr becomes ptrtoint. On this processor both give the same number.
 * - Annotations of pointers go. LLVM takes their results for addresses of objects, and has no use
 *   for them.
 * - Metadata of the kind that the lowering itself sets goes: it claims what has not been found out.
 */
#include <llvm/Config/llvm-config.h>

#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"

static void drop_unused_intrinsics(LLVMModuleRef module) {
  for (LLVMValueRef function = LLVMGetFirstFunction(module), next; function != NULL;
       function = next) {
    next = LLVMGetNextFunction(function);
    if (LLVMGetIntrinsicID(function) != 0 && LLVMGetFirstUse(function) == NULL)
      LLVMDeleteFunction(function);
  }
}

static bool is_address_cast(LLVMValueRef instruction) {
#if LLVM_VERSION_MAJOR >= 22
  return LLVMGetInstructionOpcode(instruction) == LLVMPtrToAddr;
#else
  (void)instruction;
  return false;
#endif
}

static void normalise(LLVMBuilderRef builder, LLVMValueRef instruction) {
  spgc_ir_unmark(instruction, "is_base_value");
  LLVMPositionBuilderBefore(builder, instruction);
  if (is_address_cast(instruction))
    spgc_ir_replace(instruction, LLVMBuildPtrToInt(builder, LLVMGetOperand(instruction, 0),
                                                   LLVMTypeOf(instruction), ""));
  else if (spgc_ir_is_annotation(instruction))
    spgc_ir_replace(instruction, LLVMGetArgOperand(instruction, 0));
}

enum spgc_result spgc_normalise(struct lowering *lowering, struct spgc_error *error) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(lowering->module));
  drop_unused_intrinsics(lowering->module);
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_INSTRUCTION_OF (instruction, function)
      normalise(builder, instruction);
  LLVMDisposeBuilder(builder);
  return SPGC_OK;
}
