/* Rule for calls that return twice (setjmp) in a function without gc: they are refused when managed
 * functions run in between. Such a call restores callee-saved registers from before a collection,
 * and they may hold a managed caller's references.
 *
 * The functions in between are searched as far as the module shows them: functions that are called,
 * or passed to a call, by name, and, for calls through pointers, every managed function whose
 * address is taken.
 */
#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"

struct search {
  struct values met;    /* functions */
  bool takes_addresses; /* some managed function's address is taken */
  bool finds_managed;
};

static bool address_is_taken(LLVMValueRef function) {
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAInstruction(user) || !spgc_ir_is_call(user) || spgc_ir_callee(user) != function)
      return true;
  }
  return false;
}

static void visit_call(struct search *search, LLVMValueRef call) {
  bool through_pointer =
      spgc_ir_callee(call) == NULL && !LLVMIsAInlineAsm(LLVMGetCalledValue(call));
  search->finds_managed |= through_pointer && search->takes_addresses;
  for (int i = 0; i < LLVMGetNumOperands(call); i++)
    if (LLVMIsAFunction(LLVMGetOperand(call, (unsigned)i)))
      spgc_values_add_new(&search->met, LLVMGetOperand(call, (unsigned)i));
}

/* The list grows behind the loop. */
static bool leads_to_managed(LLVMValueRef function) {
  struct search search = {0};
  IR_EACH_FUNCTION (other, LLVMGetGlobalParent(function))
    search.takes_addresses |= spgc_ir_function_is_managed(other) && address_is_taken(other);
  spgc_values_add(&search.met, function);
  for (unsigned i = 0; i < search.met.count && !search.finds_managed; i++) {
    search.finds_managed = spgc_ir_function_is_managed(search.met.at[i]);
    IR_EACH_INSTRUCTION_OF (instruction, search.met.at[i])
      if (spgc_ir_is_safepoint(instruction))
        visit_call(&search, instruction);
  }
  spgc_values_free(&search.met);
  return search.finds_managed;
}

/* Frontends may forget the attribute of functions of the C library. The intrinsics have none,
 * although they come back with the stack of the first time, too. */
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
      "setjmp in a function whose calls lead to managed functions restores its callers' registers, "
      "and with them references from before a collection",
      "call the function by spgc_protect, and leave it by spgc_leave (spgc/protect.h)"};
  if (!spgc_check_call_returns_twice(instruction))
    return NULL;
  LLVMValueRef function = spgc_ir_function_of(instruction);
  return !spgc_ir_function_is_managed(function) && leads_to_managed(function) ? &objection : NULL;
}
