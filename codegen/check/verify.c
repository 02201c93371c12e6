/* The invariants of the lowering, one after each stage; lower.c lists their tests. If the frontend
 * breaks one, the module is rejected with a row of docs/frontend-rules.md; if LLVM does, the error
 * names the stage.
 *
 * I0, read: the module is in its normal form, and each access has its place's declared type.
 *
 * I1, promote: a reference is an SSA value, or is in a variable whose type declares it. None is
 * made from another's bits, and no address is kept as an integer.
 *
 * I2, hide and optimise: references are copied only as references, by LLVM and by the program,
 * whose copies are opaque. LLVM makes none from integers.
 *
 * I3, expand: each call is a leaf or a safepoint. Each reference is defined, and is an object's
 * address or computed from a known one.
 *
 * I4, statepoints: no reference is used after a safepoint that did not relocate it.
 *
 * I5, finish: each call that can reach a safepoint is a statepoint. A reference written into an
 * object that may be old dirties its field's card, and notes the field in its group, before the
 * next safepoint. */
#include "codegen/check/check.h"

#include <stdio.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/needs_barrier.h"
#include "spgc/thread.h"
#include "support/fatal.h"

/* `placed` is for lacks_barrier. */
typedef bool breaks_invariant(struct segments *placed, LLVMValueRef instruction);

static bool makes_reference_of_bits(struct segments *placed, LLVMValueRef instruction) {
  return LLVMIsAIntToPtrInst(instruction) != NULL && spgc_ir_is_any_reference(instruction);
}

static bool uses_undefined_reference(struct segments *placed, LLVMValueRef instruction) {
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
    LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
    if (spgc_ir_is_any_reference(operand) && LLVMIsUndef(operand))
      return true;
  }
  return false;
}

static bool is_misplaced(struct segments *placed, LLVMValueRef instruction) {
  return spgc_check_places_in_variables(instruction) != NULL;
}

enum spgc_result spgc_blame_stage(const struct lowering *lowering, LLVMValueRef instruction,
                                  const char *what, struct spgc_error *error) {
  LLVMValueRef function = spgc_ir_function_of(instruction);
  char *text = LLVMPrintValueToString(instruction);
  enum spgc_result result =
      spgc_error_set(error, SPGC_ERROR_REJECTED, 0, "stage '%s': function '%s': `%s` %s",
                     lowering->stage, LLVMGetValueName(function), text, what);
  LLVMDisposeMessage(text);
  return result;
}

static enum spgc_result hold(const struct lowering *lowering, breaks_invariant *breaks,
                             const char *what, struct spgc_error *error) {
  struct segments placed = {0};
  LLVMValueRef broken = NULL;
  IR_EACH_FUNCTION (function, lowering->module) {
    if (!spgc_ir_function_is_managed(function))
      continue;
    IR_EACH_INSTRUCTION_OF (instruction, function)
      if (broken == NULL && breaks(&placed, instruction))
        broken = instruction;
  }
  spgc_segments_free(&placed);
  return broken != NULL ? spgc_blame_stage(lowering, broken, what, error) : SPGC_OK;
}

enum spgc_result spgc_verify_form(struct lowering *lowering, struct spgc_error *error) {
  char what[64];
  snprintf(what, sizeof what, "LLVM cannot give the module statepoints, stage '%s'",
           lowering->stage);
  return spgc_verify_module(lowering->module, SPGC_ERROR_REJECTED, what, error);
}

/* Always checked: a pass that changed a variable's type would hide its references. */
enum spgc_result spgc_verify_typed(struct lowering *lowering, struct spgc_error *error) {
  return hold(lowering, is_misplaced, "accesses a variable as a type that it is not declared with",
              error);
}

enum spgc_result spgc_note_casts(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_INSTRUCTION_OF (instruction, function)
      if (makes_reference_of_bits(NULL, instruction))
        lowering->has_casts = true;
  return SPGC_OK;
}

/* The optimiser drops the instruction that sets a tag if it can prove that the bits are set. So
 * nothing distinguishes a cast that it made from one that it changed, and the check is for modules
 * that had none. */
enum spgc_result spgc_verify_casts(struct lowering *lowering, struct spgc_error *error) {
  return lowering->options->verify_each && !lowering->has_casts
             ? hold(lowering, makes_reference_of_bits, "makes a reference from bits", error)
             : SPGC_OK;
}

enum spgc_result spgc_verify_defined(struct lowering *lowering, struct spgc_error *error) {
  return hold(lowering, uses_undefined_reference, "uses an undefined reference", error);
}

/* A store is noted in its group's card, or else in its count. */
static LLVMValueRef group_card_of(LLVMValueRef noted) {
  return LLVMIsASelectInst(noted) != NULL ? LLVMGetOperand(noted, 2) : noted;
}

/* The word is a number, or NULL. In codegen/prelude.ll, card = cards + (address >> shift). */
static LLVMValueRef word_marked_by(LLVMValueRef instruction, unsigned shift) {
  bool fills = spgc_ir_is_intrinsic(instruction, "llvm.memset.");
  if (!fills && LLVMIsAStoreInst(instruction) == NULL)
    return NULL;
  LLVMValueRef value = LLVMGetOperand(instruction, fills ? 1 : 0);
  LLVMValueRef card =
      LLVMIsAGetElementPtrInst(group_card_of(LLVMGetOperand(instruction, fills ? 0 : 1)));
  value = group_card_of(value);
  if (LLVMIsAConstantInt(value) == NULL || LLVMConstIntGetZExtValue(value) != SPGC_CARD_DIRTY ||
      card == NULL || LLVMIsAInstruction(LLVMGetOperand(card, 1)) == NULL)
    return NULL;
  LLVMValueRef index = LLVMGetOperand(card, 1), by = NULL;
  if (LLVMGetInstructionOpcode(index) == LLVMLShr)
    by = LLVMIsAConstantInt(LLVMGetOperand(index, 1));
  return by != NULL && LLVMConstIntGetZExtValue(by) == shift ? LLVMGetOperand(index, 0) : NULL;
}

static bool marks(LLVMValueRef instruction, LLVMValueRef field, unsigned shift) {
  LLVMValueRef word = word_marked_by(instruction, shift);
  return word != NULL && LLVMIsAPtrToIntInst(word) != NULL && LLVMGetOperand(word, 0) == field;
}

/* Up to the block's end or next safepoint; `*end` is the last instruction seen. */
static bool marks_from(LLVMValueRef first, LLVMValueRef field, unsigned shift, LLVMValueRef *end) {
  for (*end = first;; *end = LLVMGetNextInstruction(*end)) {
    if (marks(*end, field, shift))
      return true;
    if (LLVMIsATerminatorInst(*end) || spgc_ir_is_safepoint(*end))
      return false;
  }
}

/* The group card may be dirty, or a copy's size zero, so the marks follow a branch. */
static bool is_marked_behind(LLVMValueRef instruction, LLVMValueRef field, unsigned shift) {
  LLVMValueRef end, unused;
  if (marks_from(LLVMGetNextInstruction(instruction), field, shift, &end))
    return true;
  for (unsigned i = 0; LLVMIsATerminatorInst(end) && i < LLVMGetNumSuccessors(end); i++)
    if (marks_from(LLVMGetFirstInstruction(LLVMGetSuccessor(end, i)), field, shift, &unused))
      return true;
  return false;
}

static bool lacks_barrier(struct segments *placed, LLVMValueRef instruction) {
  LLVMValueRef field = spgc_field_that_needs_barrier(placed, instruction);
  return field != NULL && !(is_marked_behind(instruction, field, SPGC_CARD_SHIFT) &&
                            is_marked_behind(instruction, field, SPGC_GROUP_CARD_SHIFT));
}

/* Only with verify_each: it would take 2.5 % of compiling a large program, and only the inlining of
 * the barriers' bodies runs after their insertion. */
enum spgc_result spgc_verify_barriers(struct lowering *lowering, struct spgc_error *error) {
  return lowering->options->verify_each
             ? hold(lowering, lacks_barrier, "writes a reference without a write barrier", error)
             : SPGC_OK;
}
