/* Interior pointers that leaves are given, or keep in local variables.
 *
 * A leaf may use an interior pointer, because no object moves while it runs. What it returns or
 * stores counts as an object's address. Where the module shows the leaf, its uses of the parameter
 * are followed, through local variables, and into the leaves that it calls. Of another leaf, only
 * the type of its result is known.
 */
#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/linkage.h"
#include "codegen/ir/values.h"
#include "codegen/ir/write.h"

/* What an interior pointer may be in, as far as it was followed: values, and the addresses of local
 * variables and of places in them. */
struct flow {
  struct values pointers, addresses;
};

/* True if the call may give the argument back, or what it leads to. Adds the parameters that it
 * becomes. Intrinsics, and calls that are no leaves, have rules of their own. */
static bool call_keeps(struct values *parameters, LLVMValueRef call, LLVMValueRef argument) {
  if (!spgc_ir_call_is_leaf(call) || spgc_ir_is_any_intrinsic(call))
    return false;
  LLVMValueRef callee = spgc_ir_callee(call);
  if (callee == NULL || !spgc_ir_is_definitive(callee))
    return spgc_ir_type_contains_reference(LLVMTypeOf(call));
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && i < LLVMCountParams(callee); i++)
    if (LLVMGetArgOperand(call, i) == argument)
      spgc_values_add_new(parameters, LLVMGetParam(callee, i));
  return false;
}

/* True if the instruction writes to other memory than a local variable. Adds the variable. */
static bool leaves_variables(struct flow *flow, LLVMValueRef address) {
  LLVMValueRef variable = spgc_ir_is_reference(address) ? NULL : spgc_ir_underlying_alloca(address);
  if (variable != NULL)
    spgc_values_add_new(&flow->addresses, variable);
  return variable == NULL;
}

/* True if the user stores or returns the pointer. Adds the user if it computes a pointer from
 * it. */
static bool user_keeps(struct flow *flow, LLVMValueRef user, LLVMValueRef pointer) {
  if (LLVMIsAInstruction(user) == NULL)
    return false;
  if (spgc_ir_is_call(user) && !spgc_ir_is_any_intrinsic(user))
    return call_keeps(&flow->pointers, user, pointer);
  if (LLVMIsAReturnInst(user) || LLVMIsAInsertValueInst(user))
    return true;
  struct write write = spgc_write_of(user);
  if (write.address != NULL)
    return write.value == pointer && leaves_variables(flow, write.address);
  if (!LLVMIsALoadInst(user) && !LLVMIsAExtractValueInst(user) &&
      !spgc_ir_is_intrinsic(user, "llvm.masked.") && spgc_ir_is_any_reference(user))
    spgc_values_add_new(&flow->pointers, user);
  return false;
}

/* True if the user gives the address of a variable away. Adds what it loads from the variable, and
 * other addresses in it. */
static bool user_gives_away(struct flow *flow, LLVMValueRef user, LLVMValueRef address) {
  enum { DESTINATION, SOURCE };
  if (LLVMIsAInstruction(user) == NULL)
    return false;
  if (spgc_ir_is_transfer(user))
    return LLVMGetArgOperand(user, SOURCE) == address &&
           leaves_variables(flow, LLVMGetArgOperand(user, DESTINATION));
  if (spgc_ir_is_call(user) && !spgc_ir_is_any_intrinsic(user))
    return call_keeps(&flow->addresses, user, address);
  if (LLVMIsAReturnInst(user) || LLVMIsAInsertValueInst(user) || LLVMIsAPtrToIntInst(user))
    return true;
  struct write write = spgc_write_of(user);
  if (write.address != NULL && write.value == address)
    return true;
  if (spgc_ir_is_any_reference(user))
    spgc_values_add_new(&flow->pointers, user);
  else if (LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind && !LLVMIsALoadInst(user))
    spgc_values_add_new(&flow->addresses, user);
  return spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(user));
}

static bool any_user(struct flow *flow, LLVMValueRef value,
                     bool (*keeps)(struct flow *flow, LLVMValueRef user, LLVMValueRef value)) {
  bool kept = false;
  for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL && !kept; use = LLVMGetNextUse(use))
    kept = keeps(flow, LLVMGetUser(use), value);
  return kept;
}

static bool is_kept(struct flow *flow) {
  bool kept = false;
  for (unsigned i = 0, k = 0; (i < flow->pointers.count || k < flow->addresses.count) && !kept;)
    kept = i < flow->pointers.count ? any_user(flow, flow->pointers.at[i++], user_keeps)
                                    : any_user(flow, flow->addresses.at[k++], user_gives_away);
  spgc_values_free(&flow->pointers);
  spgc_values_free(&flow->addresses);
  return kept;
}

static bool keeps_argument(LLVMValueRef call, LLVMValueRef argument) {
  struct flow flow = {0};
  bool kept = call_keeps(&flow.pointers, call, argument);
  return is_kept(&flow) || kept;
}

/* In managed functions, R2 refuses every such variable that is no value by now. */
const struct objection *spgc_check_kept_in_variable(LLVMValueRef instruction) {
  static const struct objection objection = {
      2,
      "an interior pointer is stored in a local variable, and is returned or stored from there, or "
      "may be by a function that gets the variable's address; then it counts as the address of an "
      "object",
      "keep the object and an index instead, or make the function that takes the address "
      "always_inline"};
  LLVMValueRef function = spgc_ir_function_of(instruction);
  struct write write = spgc_write_of(instruction);
  if (write.address == NULL || spgc_ir_function_is_managed(function) ||
      !spgc_ir_is_derived(write.value))
    return NULL;
  struct flow flow = {0};
  leaves_variables(&flow, write.address);
  return is_kept(&flow) ? &objection : NULL;
}

const struct objection *spgc_check_leaf_call(LLVMValueRef call) {
  static const struct objection objection = {
      1,
      "an interior pointer is passed to a leaf that may return or store it, and then it counts as "
      "the address of an object",
      "let the leaf return a number or a field's contents, and no reference where the module does "
      "not show it (in C, make it static and always_inline)"};
  if (!spgc_ir_call_is_leaf(call) || spgc_ir_is_any_intrinsic(call))
    return NULL;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMValueRef argument = LLVMGetArgOperand(call, i);
    if (spgc_ir_is_derived(argument) && keeps_argument(call, argument))
      return &objection;
  }
  return NULL;
}
