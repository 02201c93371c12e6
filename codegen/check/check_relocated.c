/* Whether each use of a reference comes before the next safepoint behind its definition: behind
 * that, only what the statepoint relocated may be used. */
#include <string.h>

#include "codegen/check/check.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/segments.h"
#include "codegen/ir/values.h"
#include "support/fatal.h"

/* ---- What needs no relocation ---- */

/* Adds the operands that the value is a choice or a combination of, or an address in. False if it
 * comes from elsewhere. */
static bool add_sources(struct values *sources, LLVMValueRef value) {
  bool all = LLVMIsAPHINode(value) || LLVMIsASelectInst(value) || LLVMIsAInsertElementInst(value) ||
             LLVMIsAInsertValueInst(value) || LLVMIsAShuffleVectorInst(value);
  if (LLVMIsAInstruction(value) == NULL)
    return false;
  if (!all && LLVMIsAGetElementPtrInst(value) == NULL && LLVMIsAFreezeInst(value) == NULL &&
      LLVMIsAExtractElementInst(value) == NULL && LLVMIsAExtractValueInst(value) == NULL &&
      LLVMIsABitCastInst(value) == NULL)
    return false;
  for (int i = 0; i < (all ? LLVMGetNumOperands(value) : 1); i++) {
    LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
    if (spgc_ir_type_contains_reference(LLVMTypeOf(operand)) && !LLVMIsConstant(operand) &&
        !spgc_values_contain(sources, operand))
      spgc_values_add(sources, operand);
  }
  return true;
}

/* RS4GC leaves such values alone, because they are no addresses of objects. */
static bool comes_from_constants(LLVMValueRef reference) {
  struct values sources = {0};
  bool holds = true;
  spgc_values_add(&sources, reference);
  for (unsigned i = 0; i < sources.count && holds; i++)
    holds = add_sources(&sources, sources.at[i]);
  spgc_values_free(&sources);
  return holds;
}

/* ---- The check ---- */

static enum spgc_result check_reference(struct segments *segments, LLVMValueRef reference,
                                        struct spgc_error *error) {
  if (!spgc_ir_type_contains_reference(LLVMTypeOf(reference)))
    return SPGC_OK;
  struct live_range range;
  spgc_live_range_find(segments, reference, spgc_segment_behind(segments, reference), &range);
  if (range.user_crossed == NULL || comes_from_constants(reference))
    return SPGC_OK;
  char *text = LLVMPrintValueToString(range.user_crossed);
  enum spgc_result result = spgc_error_set(
      error, SPGC_ERROR_REJECTED, 0,
      "LLVM cannot give the module statepoints: function '%s': `%s` uses a reference behind a "
      "safepoint that did not relocate it",
      LLVMGetValueName(segments->function), text + strspn(text, " "));
  LLVMDisposeMessage(text);
  return result;
}

static enum spgc_result check_function(struct segments *segments, LLVMValueRef function,
                                       struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  spgc_segments_read(segments, function, SAFEPOINTS_PLACED);
  for (unsigned i = 0; i < LLVMCountParams(function) && result == SPGC_OK; i++)
    result = check_reference(segments, LLVMGetParam(function, i), error);
  for (unsigned i = 0; i < segments->instructions.count && result == SPGC_OK; i++)
    result = check_reference(segments, segments->instructions.at[i], error);
  return result;
}

enum spgc_result spgc_check_relocated(struct lowering *lowering, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  struct segments segments = {0};
  for (LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
       function != NULL && result == SPGC_OK; function = LLVMGetNextFunction(function))
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
      result = check_function(&segments, function, error);
  spgc_segments_free(&segments);
  return result;
}
