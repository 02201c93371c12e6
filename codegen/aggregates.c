/* Structures and arrays with references are taken apart where they are made: RS4GC relocates references by themselves
 * only, and the optimiser, who does not know, moves an extraction to where its result is used. */
#include "codegen/ir.h"
#include "codegen/lower.h"
#include "codegen/values.h"

static void add_extractions(struct values *extractions, LLVMValueRef value) {
  if (!ir_type_is_aggregate_of_references(LLVMTypeOf(value)))
    return;
  for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use))
    if (LLVMIsAExtractValueInst(LLVMGetUser(use)))
      values_add(extractions, LLVMGetUser(use));
}

static bool is_before_uses(LLVMValueRef instruction) {
  return LLVMIsAPHINode(instruction) || LLVMIsALandingPadInst(instruction);
}

/* In front of what comes first after the definition of its operand. */
static void move_up(LLVMValueRef extraction) {
  LLVMValueRef target = ir_first_possible_use(LLVMGetOperand(extraction, 0));
  while (target != NULL && is_before_uses(target))
    target = LLVMGetNextInstruction(target);
  if (target == NULL || target == extraction)
    return;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(extraction)));
  LLVMInstructionRemoveFromParent(extraction);
  LLVMPositionBuilderBefore(builder, target);
  LLVMInsertIntoBuilder(builder, extraction);
  LLVMDisposeBuilder(builder);
}

/* An extraction's own result may be an aggregate, whose extractions follow it: they come later in the list. */
static void take_apart(LLVMValueRef function) {
  struct values extractions = {0};
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    add_extractions(&extractions, LLVMGetParam(function, i));
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      add_extractions(&extractions, instruction);
  for (unsigned i = 0; i < extractions.count; i++)
    move_up(extractions.at[i]);
  values_free(&extractions);
}

enum spgc_result take_aggregates_apart(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    if (!LLVMIsDeclaration(function) && ir_function_is_managed(function))
      take_apart(function);
  return SPGC_OK;
}
