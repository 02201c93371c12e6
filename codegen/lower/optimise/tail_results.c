/* From functions that no other module calls, LLVM's dead argument elimination removes unread
 * results or parts, and makes named structures unnamed. LLVM 19 does so although a musttail call
 * needs equal result types, and produces invalid code. So while the optimiser runs, functions that
 * make musttail calls, or are called so, are external. */
#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"

static const char was_local[] = "spgc-was-local";

static void keep(LLVMValueRef function) {
  if (!spgc_ir_is_local(function))
    return;
  spgc_ir_add_string(function, was_local);
  LLVMSetLinkage(function, LLVMExternalLinkage);
  LLVMSetVisibility(function, LLVMHiddenVisibility); /* nor does the linker choose another body */
}

void spgc_keep_tail_results(struct lowering *lowering, LLVMValueRef call) {
  if (!spgc_ir_call_is_musttail(call) || LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind)
    return;
  keep(spgc_ir_function_of(call));
  if (spgc_ir_callee(call) != NULL)
    keep(spgc_ir_callee(call));
}

void spgc_release_tail_results(struct lowering *lowering, LLVMValueRef function) {
  if (spgc_ir_string(function, was_local) == NULL)
    return;
  spgc_ir_remove_string(function, was_local);
  LLVMSetLinkage(function, LLVMInternalLinkage);
}
