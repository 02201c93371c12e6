/* Rules that hold after the promotion of local variables: references are single SSA values, or in
 * words that statepoints can list. */
#include "codegen/check/check.h"

#include "codegen/ir/aggregate.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/variable.h"

static const struct objection interior = {
    2,
    "an interior pointer is stored in a local variable that is in memory, and the collector takes "
    "its contents for the address of an object",
    "keep the object and an index instead, or do not give the variable's address away (make the "
    "function that takes it always_inline)"};

/* True if the user stores an interior pointer to some part of the variable. */
static bool stores_interior(LLVMValueRef user, LLVMValueRef alloca) {
  bool stores = LLVMIsAStoreInst(user) != NULL;
  LLVMValueRef value = stores ? LLVMGetOperand(user, 0) : NULL;
  return stores && spgc_ir_is_any_reference(value) &&
         spgc_ir_underlying_alloca(LLVMGetOperand(user, 1)) == alloca && spgc_ir_is_derived(value);
}

static LLVMValueRef find_interior_store(LLVMValueRef alloca) {
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(alloca));
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      if (stores_interior(instruction, alloca))
        return instruction;
  return NULL;
}

const struct objection *spgc_check_variable(LLVMValueRef alloca, LLVMValueRef *culprit) {
  struct variable variable;
  spgc_variable_read(alloca, LLVMGetModuleDataLayout(spgc_ir_module_of(alloca)), &variable);
  *culprit = alloca;
  if (variable.objection != NULL || variable.run_count == 0)
    return variable.objection;
  LLVMValueRef store = find_interior_store(alloca);
  if (store != NULL)
    *culprit = store;
  return store != NULL ? &interior : NULL;
}

/* True if control flows straight from `start` to `user`, and no call between them may be a
 * safepoint. */
static bool reached_without_safepoint(LLVMValueRef start, LLVMValueRef user) {
  for (LLVMValueRef instruction = start; instruction != NULL;
       instruction = LLVMGetNextInstruction(instruction)) {
    if (instruction == user)
      return !LLVMIsAPHINode(user);
    if (spgc_ir_is_safepoint(instruction))
      return false;
  }
  return false;
}

static const struct objection across_safepoint = {
    17,
    "a structure or array value with references would live across a safepoint, and it has too many "
    "parts to be taken apart",
    "extract its parts where it is made, and pass them on one by one, or copy memory "
    "(llvm.memcpy)"};

const struct objection *spgc_check_aggregate(LLVMValueRef value) {
  if (!spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(value)))
    return NULL;
  LLVMValueRef start = spgc_ir_first_possible_use(value);
  for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use))
    if (!reached_without_safepoint(start, LLVMGetUser(use)))
      return &across_safepoint;
  return NULL;
}

enum { MOST_PARTS = 256 };

/* Extractions are made where the value is, and a function may come to a safepoint at once. */
const struct objection *spgc_check_large_aggregate(LLVMValueRef value) {
  if (!spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(value)) ||
      !spgc_aggregate_exceeds(LLVMTypeOf(value), MOST_PARTS))
    return NULL;
  LLVMValueRef start = LLVMIsAArgument(value) ? NULL : spgc_ir_first_possible_use(value);
  for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAExtractValueInst(user) && !reached_without_safepoint(start, user))
      return &across_safepoint;
  }
  return NULL;
}
