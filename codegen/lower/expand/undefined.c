/* Replaces undefined or poison references by null: such a value stands for the contents of some
 * register or stack slot, which may be a stale address. Afterwards no value, element or part live
 * across a safepoint is undefined:
 * - operands: constants are rebuilt with null for undefined parts;
 * - shuffles: an element that selects nothing selects a null of the second operand, or the first
 *   element;
 * - insertions and extractions out of range become null.
 *
 * Masked-out elements of loads and gathers come from operands. */
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
}
