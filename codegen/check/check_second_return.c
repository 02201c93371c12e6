/* R35 of docs/frontend-rules.md. A call that returns twice (setjmp) restores callee-saved
 * registers, which may hold a managed caller's references from before a collection. */
#include "codegen/check/check.h"

#include "codegen/ir/ir.h"

static bool may_lead_to_managed(LLVMValueRef function) {
  if (!spgc_ir_module_is_managed(LLVMGetGlobalParent(function)))
    return false;
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (spgc_ir_is_safepoint(instruction) && !spgc_check_call_returns_twice(instruction))
      return true;
  return false;
}

/* Frontends may forget the attribute on functions of the C library; the intrinsics lack it,
 * although they too return to the first stack. */
static bool is_known_to_return_twice(LLVMValueRef callee) {
  static const char *const names[] = {"setjmp",     "_setjmp",     "__setjmp", "sigsetjmp",
                                      "_sigsetjmp", "__sigsetjmp", "savectx",  "getcontext"};
  static const char *const intrinsics[] = {"llvm.eh.sjlj.setjmp", "llvm.eh.sjlj.setup.dispatch"};
  return (LLVMIsDeclaration(callee) && IR_NAME_IS_AMONG(callee, names)) ||
         IR_NAME_IS_AMONG(callee, intrinsics);
}

bool spgc_check_call_returns_twice(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return spgc_ir_call_or_callee_has(call, IR_ON_FUNCTION, "returns_twice") ||
         (callee != NULL && is_known_to_return_twice(callee));
}

const struct objection *spgc_check_second_return(LLVMValueRef instruction) {
  static const struct objection objection = {
      35,
      "setjmp in a function whose calls may lead to managed functions restores its callers' "
      "registers, and with them references from before a collection",
      "call the function by spgc_protect, and leave it by spgc_leave (spgc/protect.h); or mark its "
      "calls \"gc-leaf-function\" if they lead to none"};
  if (!spgc_check_call_returns_twice(instruction))
    return NULL;
  LLVMValueRef function = spgc_ir_function_of(instruction);
  return !spgc_ir_function_is_managed(function) && may_lead_to_managed(function) ? &objection
                                                                                 : NULL;
}
