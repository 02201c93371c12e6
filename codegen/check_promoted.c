/* Rules that hold once the optimiser ran: references are in SSA values, and only alone. */
#include "codegen/check.h"

#include "codegen/ir.h"

static const struct objection in_stack_memory = {
    "the reference is in stack memory, which the collector does not see, and could not be promoted to a value",
    "do not pass the variable's address on, index it with a variable, or read it as another type; or use a handle"};

static const struct objection *no_references_in_allocas(LLVMValueRef instruction) {
  bool holds = LLVMIsAAllocaInst(instruction) && ir_type_contains_reference(LLVMGetAllocatedType(instruction));
  return holds ? &in_stack_memory : NULL;
}

static const struct objection *no_references_through_allocas(LLVMValueRef instruction) {
  bool store = LLVMIsAStoreInst(instruction) != NULL;
  if (!store && !LLVMIsALoadInst(instruction))
    return NULL;
  LLVMTypeRef type = store ? LLVMTypeOf(LLVMGetOperand(instruction, 0)) : LLVMTypeOf(instruction);
  if (!ir_type_contains_reference(type))
    return NULL;
  return ir_underlying_alloca(LLVMGetOperand(instruction, store ? 1 : 0)) != NULL ? &in_stack_memory : NULL;
}

const struct objection *check_promoted_instruction(LLVMValueRef instruction) {
  const struct objection *objection = no_references_in_allocas(instruction);
  return objection != NULL ? objection : no_references_through_allocas(instruction);
}

/* From `start` straight on to `user`, with no call on the way that may be a safepoint. */
static bool reached_without_safepoint(LLVMValueRef start, LLVMValueRef user) {
  for (LLVMValueRef instruction = start; instruction != NULL; instruction = LLVMGetNextInstruction(instruction)) {
    if (instruction == user)
      return !LLVMIsAPHINode(user);
    if (ir_is_call(instruction) && !ir_call_is_leaf(instruction))
      return false;
  }
  return false;
}

const struct objection *check_aggregate(LLVMValueRef value) {
  static const struct objection objection = {
      "a structure or array value with references would live across a safepoint, and only references by themselves are "
      "updated",
      "take it apart with extractvalue where it is made, and build it where it is used"};
  if (!ir_type_is_aggregate_of_references(LLVMTypeOf(value)))
    return NULL;
  LLVMValueRef start = ir_first_possible_use(value);
  for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use))
    if (!reached_without_safepoint(start, LLVMGetUser(use)))
      return &objection;
  return NULL;
}
