#include "codegen/check/check.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/segments.h"
#include "codegen/ir/values.h"

/* Adds the references that it is computed from. True if it has other sources. */
static bool has_other_source(struct values *sources, LLVMValueRef value) {
  bool all = LLVMIsAPHINode(value) || LLVMIsASelectInst(value) || LLVMIsAInsertElementInst(value) ||
             LLVMIsAInsertValueInst(value) || LLVMIsAShuffleVectorInst(value);
  if (LLVMIsAInstruction(value) == NULL)
    return true;
  if (!all && LLVMIsAGetElementPtrInst(value) == NULL && LLVMIsAFreezeInst(value) == NULL &&
      LLVMIsAExtractElementInst(value) == NULL && LLVMIsAExtractValueInst(value) == NULL &&
      LLVMIsABitCastInst(value) == NULL)
    return true;
  for (int i = 0; i < (all ? LLVMGetNumOperands(value) : 1); i++) {
    LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
    if (spgc_ir_type_contains_reference(LLVMTypeOf(operand)) && !LLVMIsConstant(operand))
      spgc_values_add_new(sources, operand);
  }
  return false;
}

/* RS4GC does not relocate these, because they are not objects' addresses. */
static bool comes_from_constants(LLVMValueRef reference) {
  return spgc_values_search(reference, has_other_source) == NULL;
}

/* A use after a safepoint that did not relocate it, or NULL. */
static LLVMValueRef stale_use(struct segments *segments, LLVMValueRef reference) {
  if (!spgc_ir_type_contains_reference(LLVMTypeOf(reference)))
    return NULL;
  struct live_range range;
  spgc_live_range_find(segments, reference, spgc_segment_behind(segments, reference), &range);
  return range.user_crossed != NULL && !comes_from_constants(reference) ? range.user_crossed : NULL;
}

static LLVMValueRef stale_use_in(struct segments *segments, LLVMValueRef function) {
  LLVMValueRef found = NULL;
  spgc_segments_read(segments, function, SAFEPOINTS_PLACED);
  for (unsigned i = 0; i < segments->definitions.count && found == NULL; i++)
    found = stale_use(segments, segments->definitions.at[i]);
  return found;
}

enum spgc_result spgc_check_relocated(struct lowering *lowering, struct spgc_error *error) {
  struct segments segments = {0};
  LLVMValueRef found = NULL;
  IR_EACH_FUNCTION (function, lowering->module)
    if (found == NULL && !LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
      found = stale_use_in(&segments, function);
  spgc_segments_free(&segments);
  return found == NULL
             ? SPGC_OK
             : spgc_blame_stage(lowering, found,
                                "uses a reference after a safepoint that did not relocate it",
                                error);
}
