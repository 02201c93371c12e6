/* Whether each use of a reference comes before the next safepoint behind its definition: behind
 * that, only what the statepoint relocated may be used. */
#include <string.h>

#include "codegen/check/check.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/safepoints.h"
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

static enum spgc_result check_reference(struct safepoints *safepoints, LLVMValueRef reference,
                                        struct spgc_error *error) {
  if (!spgc_ir_type_contains_reference(LLVMTypeOf(reference)))
    return SPGC_OK;
  LLVMValueRef user = spgc_user_behind_safepoint(safepoints, reference);
  if (user == NULL || comes_from_constants(reference))
    return SPGC_OK;
  LLVMValueRef function = spgc_ir_function_of(user);
  char *text = LLVMPrintValueToString(user);
  enum spgc_result result = spgc_error_set(
      error, SPGC_ERROR_REJECTED, 0,
      "LLVM cannot give the module statepoints: function '%s': `%s` uses a reference behind a "
      "safepoint that did not relocate it",
      LLVMGetValueName(function), text + strspn(text, " "));
  LLVMDisposeMessage(text);
  return result;
}

static enum spgc_result check_function(struct safepoints *safepoints, LLVMValueRef function,
                                       struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  spgc_safepoints_read(safepoints, function, SAFEPOINTS_PLACED);
  for (unsigned i = 0; i < LLVMCountParams(function) && result == SPGC_OK; i++)
    result = check_reference(safepoints, LLVMGetParam(function, i), error);
  for (unsigned i = 0; i < safepoints->instructions.count && result == SPGC_OK; i++)
    result = check_reference(safepoints, safepoints->instructions.at[i], error);
  return result;
}

enum spgc_result spgc_check_relocated(struct lowering *lowering, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  struct safepoints safepoints = {0};
  for (LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
       function != NULL && result == SPGC_OK; function = LLVMGetNextFunction(function))
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
      result = check_function(&safepoints, function, error);
  spgc_safepoints_free(&safepoints);
  return result;
}
