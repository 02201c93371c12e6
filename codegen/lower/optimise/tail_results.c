/* Keeps the types of functions that make musttail calls, or are called so.
 *
 * Where no caller reads a result, or some part of it, LLVM takes it from functions that no other
 * module calls, and makes named structures unnamed ones (dead argument elimination). LLVM 19 does
 * so although a musttail call demands that both functions have one type of result, and makes
 * invalid code. So while the optimiser runs, such functions look as if other modules called them.
 */
#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"

static const char was_local[] = "spgc-was-local";

static bool is_local(LLVMValueRef function) {
  LLVMLinkage linkage = LLVMGetLinkage(function);
  return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

static void keep(LLVMValueRef function) {
  if (!is_local(function))
    return;
  LLVMAttributeRef note = LLVMCreateStringAttribute(LLVMGetTypeContext(LLVMTypeOf(function)),
                                                    was_local, sizeof was_local - 1, "", 0);
  LLVMAddAttributeAtIndex(function, IR_ON_FUNCTION, note);
  LLVMSetLinkage(function, LLVMExternalLinkage);
  LLVMSetVisibility(function, LLVMHiddenVisibility); /* nor does the linker choose another body */
}

static void keep_ends(LLVMValueRef function, LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind)
    return;
  keep(function);
  if (callee != NULL && LLVMIsAFunction(callee) != NULL)
    keep(callee);
}

enum spgc_result spgc_keep_tail_results(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block)
        if (spgc_ir_is_call(instruction) && spgc_ir_call_is_musttail(instruction))
          keep_ends(function, instruction);
  return SPGC_OK;
}

enum spgc_result spgc_release_tail_results(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    if (LLVMGetStringAttributeAtIndex(function, IR_ON_FUNCTION, was_local, sizeof was_local - 1) !=
        NULL) {
      LLVMRemoveStringAttributeAtIndex(function, IR_ON_FUNCTION, was_local, sizeof was_local - 1);
      LLVMSetLinkage(function, LLVMInternalLinkage);
    }
  return SPGC_OK;
}
