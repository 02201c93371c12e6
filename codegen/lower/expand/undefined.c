/* Replaces references that are undefined or poison by null before statepoints are inserted.
 *
 * Such a value stands for the contents of some register or stack slot, which may be the address of
 * an object from before a collection: the collector would take it for a reference. Whole values,
 * elements of vectors and parts of structures are treated alike. Invariant after this phase: no
 * reference that is live across a safepoint is undefined. It replaces
 *   - operands: constants are made anew with null in place of undefined parts;
 *   - shuffles: an element that selects nothing selects a null of the second operand, or the first
 *     element;
 *   - insertions and extractions out of range: their result becomes null.
 * Masked loads and gathers are covered by their operands, because masked-out elements come from one
 * of them.
 *
 * References of vectors are extracted and inserted at constant lanes only: a lane whose number is
 * not constant is chosen among all. Instruction selection takes a variable lane from memory. If the
 * vector lies in the slot of a statepoint, AArch64's patterns keep the slot as a frame index in an
 * addressing mode that has no offset, and laying out the frame divides by zero (LLVM 19). For a
 * number beyond the vector the result is poison, so any lane will do.
 */
#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"

static bool is_undefined(LLVMValueRef value) {
  return LLVMIsUndef(value) || LLVMIsPoison(value);
}

static bool is_constant_of_parts(LLVMValueRef value) {
  return LLVMIsAConstantVector(value) || LLVMIsAConstantStruct(value) ||
         LLVMIsAConstantArray(value);
}

static LLVMValueRef constant_of_parts(LLVMTypeRef type, LLVMValueRef *parts, unsigned count) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMVectorTypeKind: return LLVMConstVector(parts, count);
  case LLVMArrayTypeKind: return LLVMConstArray2(LLVMGetElementType(type), parts, count);
  default:
    if (LLVMGetStructName(type) != NULL)
      return LLVMConstNamedStruct(type, parts, count);
    return LLVMConstStructInContext(LLVMGetTypeContext(type), parts, count,
                                    LLVMIsPackedStruct(type));
  }
}

/* Returns the constant itself if nothing in it is undefined. */
static LLVMValueRef defined(LLVMValueRef constant) {
  if (is_undefined(constant))
    return LLVMConstNull(LLVMTypeOf(constant));
  if (!is_constant_of_parts(constant))
    return constant;
  unsigned count = (unsigned)LLVMGetNumOperands(constant);
  LLVMValueRef *parts = spgc_zeroed(count, sizeof(LLVMValueRef));
  for (unsigned i = 0; i < count; i++)
    parts[i] = defined(LLVMGetOperand(constant, i));
  LLVMValueRef result = constant_of_parts(LLVMTypeOf(constant), parts, count);
  free((void *)parts);
  return result;
}

/* A reference made of an undefined integer is as undefined, and so is one made of a frozen
 * value. */
static bool makes_reference(LLVMValueRef instruction) {
  return LLVMIsAIntToPtrInst(instruction) || LLVMIsAFreezeInst(instruction);
}

static bool is_token_or_metadata(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMTokenTypeKind || kind == LLVMMetadataTypeKind;
}

static void define_operands(LLVMValueRef instruction) {
  bool all = makes_reference(instruction);
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(instruction); i++) {
    LLVMValueRef operand = LLVMGetOperand(instruction, i);
    if (!LLVMIsAConstant(operand) || is_token_or_metadata(LLVMTypeOf(operand)) ||
        !(all || spgc_ir_type_contains_reference(LLVMTypeOf(operand))))
      continue;
    LLVMValueRef replacement = defined(operand);
    if (replacement != operand)
      LLVMSetOperand(instruction, i, replacement);
  }
}

static bool has_undefined_lane(LLVMValueRef shuffle) {
  for (unsigned i = 0; i < LLVMGetNumMaskElements(shuffle); i++)
    if (LLVMGetMaskValue(shuffle, i) == LLVMGetUndefMaskElem())
      return true;
  return false;
}

/* Its operands are defined by now. */
static void define_lanes(LLVMBuilderRef builder, LLVMValueRef shuffle) {
  LLVMValueRef first = LLVMGetOperand(shuffle, 0), second = LLVMGetOperand(shuffle, 1);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(shuffle)));
  unsigned chosen = LLVMIsNull(second) ? LLVMGetVectorSize(LLVMTypeOf(first)) : 0;
  unsigned count = LLVMGetNumMaskElements(shuffle);
  LLVMValueRef *mask = spgc_zeroed(count, sizeof(LLVMValueRef));
  for (unsigned i = 0; i < count; i++) {
    int lane = LLVMGetMaskValue(shuffle, i);
    mask[i] = LLVMConstInt(i32, lane == LLVMGetUndefMaskElem() ? chosen : (unsigned)lane, false);
  }
  LLVMPositionBuilderBefore(builder, shuffle);
  spgc_ir_replace(shuffle,
                  LLVMBuildShuffleVector(builder, first, second, LLVMConstVector(mask, count), ""));
  free((void *)mask);
}

/* ---- Lanes that are not constant ---- */

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

static void choose_lane(LLVMBuilderRef builder, LLVMValueRef instruction) {
  LLVMPositionBuilderBefore(builder, instruction);
  LLVMValueRef value =
      LLVMIsAInsertElementInst(instruction) ? LLVMGetOperand(instruction, 1) : NULL;
  spgc_ir_replace(instruction,
                  choose(builder, LLVMGetOperand(instruction, 0), lane_of(instruction), value));
}

/* ---- All instructions ---- */

static bool is_out_of_range(LLVMValueRef vector, LLVMValueRef index) {
  return is_undefined(index) ||
         (LLVMIsAConstantInt(index) &&
          LLVMConstIntGetZExtValue(index) >= LLVMGetVectorSize(LLVMTypeOf(vector)));
}

static bool selects_nothing(LLVMValueRef instruction) {
  if (LLVMIsAExtractElementInst(instruction))
    return is_out_of_range(LLVMGetOperand(instruction, 0), LLVMGetOperand(instruction, 1));
  return LLVMIsAInsertElementInst(instruction) &&
         is_out_of_range(LLVMGetOperand(instruction, 0), LLVMGetOperand(instruction, 2));
}

void spgc_define_references(struct lowering *lowering, LLVMValueRef instruction) {
  define_operands(instruction);
  if (!spgc_ir_type_contains_reference(LLVMTypeOf(instruction)))
    return;
  if (selects_nothing(instruction))
    spgc_ir_replace(instruction, LLVMConstNull(LLVMTypeOf(instruction)));
  else if (LLVMIsAShuffleVectorInst(instruction) && has_undefined_lane(instruction))
    define_lanes(lowering->builder, instruction);
  else if (has_variable_lane(instruction))
    choose_lane(lowering->builder, instruction);
}
