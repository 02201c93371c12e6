/* RS4GC relocates only single references. So structures and arrays with references that live across
 * safepoints, which the optimiser makes, are kept in variables: stored where they are defined,
 * loaded right before each use, and split by LLVM's SROA. Phis also become variables. A value with
 * no safepoint before its uses stays. */
#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"

static LLVMValueRef behind(LLVMValueRef value) {
  LLVMValueRef place = LLVMIsAArgument(value) ? spgc_ir_first_instruction(LLVMGetParamParent(value))
                       : LLVMIsAInvokeInst(value)
                           ? LLVMGetFirstInstruction(LLVMGetNormalDest(value))
                           : LLVMGetNextInstruction(value);
  while (place != NULL && (LLVMIsAPHINode(place) || LLVMIsALandingPadInst(place)))
    place = LLVMGetNextInstruction(place);
  return place;
}

/* Whether control flows straight there, without a safepoint. */
static bool reached_without_safepoint(LLVMValueRef start, LLVMValueRef user) {
  LLVMValueRef at = start;
  while (at != NULL && at != user && !spgc_ir_is_safepoint(at))
    at = LLVMGetNextInstruction(at);
  return at == user;
}

static bool may_cross_safepoint(LLVMValueRef value) {
  LLVMValueRef start = behind(value);
  if (start == NULL || !spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(value)))
    return false;
  IR_EACH_USER (user, value)
    if (!reached_without_safepoint(start, user))
      return true;
  return false;
}

static LLVMValueRef add_variable(LLVMBuilderRef builder, LLVMValueRef function, LLVMTypeRef type) {
  LLVMPositionBuilderBefore(builder, spgc_ir_first_instruction(function));
  return LLVMBuildAlloca(builder, type, "");
}

static LLVMValueRef load_before(LLVMBuilderRef builder, LLVMValueRef place, LLVMValueRef variable) {
  LLVMPositionBuilderBefore(builder, place);
  return LLVMBuildLoad2(builder, LLVMGetAllocatedType(variable), variable, "");
}

static void keep_in_variable(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef value) {
  struct values users = {0};
  LLVMValueRef start = behind(value);
  IR_EACH_USER (user, value)
    spgc_values_add_new(&users, user);
  LLVMValueRef variable = add_variable(builder, function, LLVMTypeOf(value));
  LLVMPositionBuilderBefore(builder, start);
  LLVMBuildStore(builder, value, variable);
  for (unsigned i = 0; i < users.count; i++)
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(users.at[i]); k++)
      if (LLVMGetOperand(users.at[i], k) == value)
        LLVMSetOperand(users.at[i], k, load_before(builder, users.at[i], variable));
  spgc_values_free(&users);
}

/* A phi uses a value at the end of the incoming block, even if that ends in an invoke: the variable
 * is stored there. After an invoke there is no room before a phi that has no other operand. Returns
 * whether it is a phi of a structure. */
static bool drop_phi(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef phi) {
  if (!LLVMIsAPHINode(phi) || !spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(phi)))
    return false;
  if (LLVMCountIncoming(phi) == 1) {
    spgc_ir_replace(phi, LLVMGetIncomingValue(phi, 0));
    return true;
  }
  LLVMValueRef variable = add_variable(builder, function, LLVMTypeOf(phi));
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, i)));
    LLVMBuildStore(builder, LLVMGetIncomingValue(phi, i), variable);
  }
  spgc_ir_replace(phi, load_before(builder, behind(phi), variable));
  return true;
}

static bool keep_in_variables(LLVMBuilderRef builder, LLVMValueRef function) {
  struct values found = {0};
  bool any = false;
  IR_EACH_INSTRUCTION_OF (instruction, function)
    any |= drop_phi(builder, function, instruction);
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    if (may_cross_safepoint(LLVMGetParam(function, i)))
      spgc_values_add(&found, LLVMGetParam(function, i));
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (may_cross_safepoint(instruction))
      spgc_values_add(&found, instruction);
  for (unsigned i = 0; i < found.count; i++)
    keep_in_variable(builder, function, found.at[i]);
  any |= found.count != 0;
  spgc_values_free(&found);
  return any;
}

enum spgc_result spgc_take_aggregates_apart(struct lowering *lowering, struct spgc_error *error) {
  bool any = false;
  IR_EACH_FUNCTION (function, lowering->module)
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
      any |= keep_in_variables(lowering->builder, function);
  if (any) /* simplifications would rebuild the whole from its parts */
    spgc_run_passes(lowering, "function(sroa,adce)");
  return SPGC_OK;
}
