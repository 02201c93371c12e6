/* Brings any frontend's module into the form that the other phases know.
 * - Unused declarations of intrinsics are removed: LLVM leaves some when it rewrites those of
 *   earlier releases, and linking the prelude would give them wrong attributes.
 * - LLVM 22's ptrtoaddr becomes ptrtoint, which gives the same number on these processors.
 * - Annotations of pointers are removed: LLVM assumes that they result in addresses of objects.
 * - Metadata of the lowering's kind is removed: nothing has established its claims. */
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
