/* No object moves while a leaf runs, so it may use an interior pointer. One that it returns or
 * stores counts as an object's address. The uses of a parameter are followed if the module defines
 * the leaf; of others only the result's type is known. */
#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"

/* Whether the call may return the argument. Adds the parameters that receive it. Other calls have
 * their own rules. */
static bool call_keeps(struct values *pointers, LLVMValueRef call, LLVMValueRef argument) {
  if (!spgc_ir_call_is_leaf(call) || spgc_ir_is_any_intrinsic(call))
    return false;
  LLVMValueRef callee = spgc_ir_callee(call);
  if (callee == NULL || !spgc_ir_is_definitive(callee))
    return spgc_ir_type_contains_reference(LLVMTypeOf(call));
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && i < LLVMCountParams(callee); i++)
    if (LLVMGetArgOperand(call, i) == argument)
      spgc_values_add_new(pointers, LLVMGetParam(callee, i));
  return false;
}

/* Adds a pointer computed from it. */
static bool user_keeps(struct values *pointers, LLVMValueRef user, LLVMValueRef pointer) {
  if (LLVMIsAInstruction(user) == NULL)
    return false;
  if (spgc_ir_is_call(user) && !spgc_ir_is_any_intrinsic(user))
    return call_keeps(pointers, user, pointer);
  if (LLVMIsAReturnInst(user) || LLVMIsAInsertValueInst(user))
    return true;
  struct write write = spgc_write_of(user);
  if (write.address != NULL)
    return write.value == pointer;
  if (!LLVMIsALoadInst(user) && !LLVMIsAExtractValueInst(user) &&
      !spgc_ir_is_intrinsic(user, "llvm.masked.") && spgc_ir_is_any_reference(user))
    spgc_values_add_new(pointers, user);
  return false;
}

static bool keeps_argument(LLVMValueRef call, LLVMValueRef argument) {
  struct values pointers = {0};
  bool kept = call_keeps(&pointers, call, argument);
  for (unsigned i = 0; i < pointers.count; i++)
    IR_EACH_USER (user, pointers.at[i])
      kept = kept || user_keeps(&pointers, user, pointers.at[i]);
  spgc_values_free(&pointers);
  return kept;
}

const struct objection *spgc_check_leaf_call(LLVMValueRef call) {
  static const struct objection objection = {
      1,
      "an interior pointer is passed to a leaf that may return or store it, and then it counts as "
      "the address of an object",
      "let the leaf return a number or a field's contents, or define it in the module (in C, make "
      "it static and always_inline)"};
  if (!spgc_ir_call_is_leaf(call) || spgc_ir_is_any_intrinsic(call))
    return NULL;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMValueRef argument = LLVMGetArgOperand(call, i);
    if (spgc_ir_is_derived(argument) && keeps_argument(call, argument))
      return &objection;
  }
  return NULL;
}
