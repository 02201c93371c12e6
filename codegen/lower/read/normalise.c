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

enum spgc_result spgc_drop_unused_intrinsics(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    if (LLVMGetIntrinsicID(function) != 0 && LLVMGetFirstUse(function) == NULL)
      LLVMDeleteFunction(function);
  return SPGC_OK;
}

static bool is_address_cast(LLVMValueRef instruction) {
#if LLVM_VERSION_MAJOR >= 22
  return LLVMGetInstructionOpcode(instruction) == LLVMPtrToAddr;
#else
  (void)instruction;
  return false;
#endif
}

void spgc_normalise(struct lowering *lowering, LLVMValueRef instruction) {
  spgc_ir_unmark(instruction, "is_base_value");
  LLVMPositionBuilderBefore(lowering->builder, instruction);
  if (is_address_cast(instruction))
    spgc_ir_replace(instruction,
                    LLVMBuildPtrToInt(lowering->builder, LLVMGetOperand(instruction, 0),
                                      LLVMTypeOf(instruction), ""));
  else if (spgc_ir_is_annotation(instruction))
    spgc_ir_replace(instruction, LLVMGetArgOperand(instruction, 0));
}
