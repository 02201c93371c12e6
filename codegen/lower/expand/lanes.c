/* Extracts and inserts references of vectors at constant lanes only: a lane whose number is not
 * constant is chosen among all.
 *
 * Instruction selection takes a variable lane from memory. If the vector lies in the slot of a
 * statepoint, AArch64's patterns keep the slot as a frame index in an addressing mode that has no
 * offset, and laying out the frame divides by zero (LLVM 19). For a number beyond the vector the
 * result is poison, so any lane will do. */
#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"

/* Of the operands of both instructions, the lane is the last. */
static LLVMValueRef lane_of(LLVMValueRef instruction) {
  return LLVMGetOperand(instruction, (unsigned)LLVMGetNumOperands(instruction) - 1);
}

static bool has_variable_lane(LLVMValueRef instruction) {
  bool accesses = LLVMIsAExtractElementInst(instruction) != NULL ||
                  LLVMIsAInsertElementInst(instruction) != NULL;
  return accesses && spgc_ir_type_contains_reference(LLVMTypeOf(instruction)) &&
         LLVMIsAConstantInt(lane_of(instruction)) == NULL;
}

/* Extracts the lane, or inserts `value`. */
static LLVMValueRef choose(LLVMBuilderRef builder, LLVMValueRef vector, LLVMValueRef lane,
                           LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(lane);
  LLVMValueRef chosen = value == NULL ? NULL : vector;
  for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(vector)); i++) {
    LLVMValueRef number = LLVMConstInt(type, i, false);
    LLVMValueRef element = LLVMBuildExtractElement(builder, vector, number, "");
    LLVMValueRef is_it = LLVMBuildICmp(builder, LLVMIntEQ, lane, number, "");
    if (value != NULL)
      chosen = LLVMBuildInsertElement(
          builder, chosen, LLVMBuildSelect(builder, is_it, value, element, ""), number, "");
    else
      chosen = i == 0 ? element : LLVMBuildSelect(builder, is_it, element, chosen, "");
  }
  return chosen;
}

static void replace(LLVMValueRef instruction) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(instruction)));
  LLVMPositionBuilderBefore(builder, instruction);
  bool inserts = LLVMIsAInsertElementInst(instruction) != NULL;
  LLVMReplaceAllUsesWith(instruction,
                         choose(builder, LLVMGetOperand(instruction, 0), lane_of(instruction),
                                inserts ? LLVMGetOperand(instruction, 1) : NULL));
  LLVMInstructionEraseFromParent(instruction);
  LLVMDisposeBuilder(builder);
}

enum spgc_result spgc_choose_lanes(struct lowering *lowering, struct spgc_error *error) {
  struct values found = {0};
  IR_EACH_FUNCTION (function, lowering->module)
    if (spgc_ir_function_is_managed(function))
      IR_EACH_BLOCK (block, function)
        IR_EACH_INSTRUCTION (instruction, block)
          if (has_variable_lane(instruction))
            spgc_values_add(&found, instruction);
  for (unsigned i = 0; i < found.count; i++)
    replace(found.at[i]);
  spgc_values_free(&found);
  return SPGC_OK;
}
