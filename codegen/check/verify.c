/* The invariants of the lowering, one behind each stage. lower.c lists what is tested of each.
 * Where the module as its author wrote it breaks one, it is rejected with the row of
 * docs/frontend-rules.md. Where a pass of LLVM broke one, the error names the stage.
 *
 * I0, read: the module is in its normal form, and an access has the type that its place declares.
 * I1, promote: a reference is an SSA value, or lies in a variable whose type lists it; no reference
 *     is made of the bits of another, and no address is kept as an integer.
 * I2, close and optimise: nothing moves the bits of references untyped, neither the program, whose
 *     copies are opaque, nor LLVM.
 * I3, expand: each call is a leaf or a safepoint, no reference is undefined, and each is the
 *     address of an object or computed from one that is known.
 * I4, statepoints: no reference is used behind a safepoint that did not relocate it.
 * I5, finish: each call that can come to a safepoint is a statepoint. (That each reference written
 *     into an object that may be old marks its card holds by construction: finish/barrier.c.)
 */
#include "codegen/check/check.h"

#include <stdio.h>

#include "codegen/ir/address_use.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/known_bits.h"
#include "codegen/ir/lowering.h"
#include "support/fatal.h"

/* ---- What passes of LLVM did ---- */

static bool makes_reference_of_bits(LLVMValueRef instruction) {
  return LLVMIsAIntToPtrInst(instruction) != NULL && spgc_ir_is_reference(instruction) &&
         spgc_address_source(LLVMGetOperand(instruction, 0)) != NULL &&
         !spgc_bits_show_immediate(LLVMGetOperand(instruction, 0));
}

static bool is_undefined_reference(LLVMValueRef value) {
  return spgc_ir_is_any_reference(value) && LLVMIsUndef(value);
}

static bool uses_undefined_reference(LLVMValueRef instruction) {
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (is_undefined_reference(LLVMGetOperand(instruction, (unsigned)i)))
      return true;
  return false;
}

static bool is_misplaced(LLVMValueRef instruction) {
  return spgc_check_places_in_variables(instruction) != NULL;
}

static enum spgc_result blame_stage(const struct lowering *lowering, LLVMValueRef instruction,
                                    const char *what, struct spgc_error *error) {
  LLVMValueRef function = spgc_ir_function_of(instruction);
  char *text = LLVMPrintValueToString(instruction);
  enum spgc_result result =
      spgc_error_set(error, SPGC_ERROR_REJECTED, 0, "stage '%s': function '%s': `%s` %s",
                     lowering->stage, LLVMGetValueName(function), text, what);
  LLVMDisposeMessage(text);
  return result;
}

/* In managed functions, `breaks` is true of no instruction. */
static enum spgc_result hold(const struct lowering *lowering,
                             bool (*breaks)(LLVMValueRef instruction), const char *what,
                             struct spgc_error *error) {
  LLVMValueRef broken = NULL;
  IR_EACH_FUNCTION (function, lowering->module) {
    if (!spgc_ir_function_is_managed(function))
      continue;
    IR_EACH_INSTRUCTION_OF (instruction, function)
      if (broken == NULL && breaks(instruction))
        broken = instruction;
  }
  return broken != NULL ? blame_stage(lowering, broken, what, error) : SPGC_OK;
}

enum spgc_result spgc_verify_form(struct lowering *lowering, struct spgc_error *error) {
  char what[64];
  snprintf(what, sizeof what, "LLVM cannot give the module statepoints, stage '%s'",
           lowering->stage);
  return spgc_verify_module(lowering->module, SPGC_ERROR_REJECTED, what, error);
}

/* A pass that changes the type of a variable would hide its references from the collector, so that
 * part is always checked. */
enum spgc_result spgc_verify_typed(struct lowering *lowering, struct spgc_error *error) {
  enum spgc_result result =
      hold(lowering, is_misplaced, "accesses a variable as what its type does not declare", error);
  return result == SPGC_OK && lowering->options->verify_each
             ? hold(lowering, makes_reference_of_bits, "makes a reference of bits", error)
             : result;
}

enum spgc_result spgc_verify_defined(struct lowering *lowering, struct spgc_error *error) {
  return hold(lowering, uses_undefined_reference, "uses an undefined reference", error);
}
