#include "codegen/ir/word_change.h"

#include "codegen/ir/ir.h"

enum { WORD_BITS = 64 };

static bool is_integer(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
}

static LLVMTypeRef element_of(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

unsigned spgc_integer_bits(LLVMTypeRef type) {
  unsigned elements = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
  LLVMTypeRef element = element_of(type);
  return is_integer(element) ? elements * LLVMGetIntTypeWidth(element) : 0;
}

static bool is_wide(LLVMTypeRef type) {
  LLVMTypeRef element = element_of(type);
  return is_integer(element) && LLVMGetIntTypeWidth(element) > WORD_BITS;
}

bool spgc_is_any_intrinsic_of(LLVMValueRef call, const char *const *prefixes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (spgc_ir_is_intrinsic(call, prefixes[i]))
      return true;
  return false;
}

#define IS_ANY_OF(call, prefixes)                                                                  \
  spgc_is_any_intrinsic_of(call, prefixes, sizeof prefixes / sizeof *prefixes)

/* Intrinsics whose result is one of the operands, or the elements of some. */
static bool moves_operands(LLVMValueRef call) {
  static const char *const names[] = {
      "llvm.expect.",
      "llvm.ssa.copy.",
      "llvm.annotation.",
      "llvm.arithmetic.fence.",
      "llvm.smax.",
      "llvm.smin.",
      "llvm.umax.",
      "llvm.umin.",
      "llvm.vector.reduce.smax.",
      "llvm.vector.reduce.smin.",
      "llvm.vector.reduce.umax.",
      "llvm.vector.reduce.umin.",
      "llvm.vector.reverse.",
      "llvm.vector.splice.",
      "llvm.vector.insert.",
      "llvm.vector.extract.",
      "llvm.vector.interleave",
      "llvm.vector.deinterleave",
      "llvm.experimental.vector.compress.",
  };
  return IS_ANY_OF(call, names);
}

/* Those of the processor. */
static bool shuffles(LLVMValueRef call) {
  static const char *const names[] = {
      "llvm.x86.ssse3.pshuf.b",      "llvm.x86.avx2.pshuf.b",        "llvm.x86.avx512.pshuf.b",
      "llvm.x86.sse41.pblendvb",     "llvm.x86.sse41.blendv",        "llvm.x86.avx.blendv",
      "llvm.x86.avx2.pblendvb",      "llvm.x86.avx.vpermilvar",      "llvm.x86.avx512.vpermilvar",
      "llvm.x86.avx2.perm",          "llvm.x86.avx512.permvar",      "llvm.x86.avx512.vpermi2var",
      "llvm.x86.avx512.mask.expand", "llvm.x86.avx512.mask.compress"};
  return IS_ANY_OF(call, names);
}

/* An address is as positive as an integer as it is as a floating-point number. */
static bool changes_sign(LLVMValueRef call) {
  static const char *const names[] = {"llvm.abs.", "llvm.fabs.", "llvm.copysign."};
  return IS_ANY_OF(call, names);
}

/* Like shifts and masks. */
static bool changes_bits(LLVMValueRef call) {
  static const char *const names[] = {"llvm.fshl.", "llvm.fshr.", "llvm.bswap.",
                                      "llvm.bitreverse."};
  return IS_ANY_OF(call, names);
}

enum word_change spgc_change_by_intrinsic(LLVMValueRef call) {
  if (moves_operands(call) || shuffles(call))
    return WORD_COPIED;
  return changes_bits(call) || changes_sign(call) ? WORD_UNTAGGED : WORD_COMPUTED;
}

/* Reads a word of a constant integer, or of a constant vector of integers that make up whole words.
 * False if there is no such word, or if a part of it is undefined. */
static bool constant_word(LLVMValueRef constant, unsigned index, uint64_t *word) {
  LLVMTypeRef type = LLVMTypeOf(constant), element = element_of(type);
  if (LLVMIsAConstant(constant) == NULL || !is_integer(element) ||
      WORD_BITS % LLVMGetIntTypeWidth(element) != 0 ||
      (index + 1) * WORD_BITS > spgc_integer_bits(type))
    return false;
  unsigned bits = LLVMGetIntTypeWidth(element), parts = WORD_BITS / bits;
  *word = 0;
  for (unsigned i = 0; i < parts; i++) {
    LLVMValueRef part =
        element == type ? constant : LLVMGetAggregateElement(constant, index * parts + i);
    if (part == NULL || LLVMIsAConstantInt(part) == NULL)
      return false;
    *word |= LLVMConstIntGetZExtValue(part) << i * bits;
  }
  return true;
}

/* True if adding or subtracting the constant changes only the lowest bits of an address, its
 * highest, or none; and for a factor or divisor of 1. */
static bool keeps_address(LLVMOpcode opcode, uint64_t constant) {
  const uint64_t lowest = 7, within = (UINT64_C(1) << 47) - 1;
  uint64_t difference = constant & within;
  switch (opcode) {
  case LLVMAdd: return difference == 0 || difference >= within + 1 - lowest;
  case LLVMSub: return difference <= lowest;
  case LLVMMul:
  case LLVMUDiv:
  case LLVMSDiv: return constant == 1;
  default: return false;
  }
}

/* The vector whose elements an operand has where none is inserted. */
static LLVMValueRef vector_behind(LLVMValueRef operand) {
  while (LLVMIsAInsertElementInst(operand) != NULL)
    operand = LLVMGetOperand(operand, 0);
  return operand;
}

static bool is_commutative(LLVMOpcode opcode) {
  return opcode == LLVMAdd || opcode == LLVMMul;
}

/* True if a word may be left as it was, or lose its tag only. Words of a vector differ in that. */
static bool takes_tag_off(LLVMValueRef arithmetic) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(arithmetic);
  unsigned words = spgc_integer_bits(LLVMTypeOf(arithmetic)) / WORD_BITS;
  for (unsigned i = is_commutative(opcode) ? 0 : 1; i < 2; i++) {
    LLVMValueRef constant = vector_behind(LLVMGetOperand(arithmetic, i));
    uint64_t word;
    for (unsigned at = 0; at < words; at++)
      if (constant_word(constant, at, &word) && keeps_address(opcode, word))
        return true;
  }
  return false;
}

/* Masks, shifts and the like take tags off, put words together to wider integers and take these
 * apart, and choose between words without a branch. */
static bool is_of_bits(LLVMOpcode opcode) {
  return opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor || opcode == LLVMShl ||
         opcode == LLVMLShr || opcode == LLVMAShr;
}

static bool is_constant_or_shifted(LLVMValueRef operand) {
  return LLVMIsAConstant(operand) != NULL ||
         (LLVMIsABinaryOperator(operand) != NULL && LLVMGetInstructionOpcode(operand) == LLVMShl);
}

/* A number that is not constant and has a few bits only, such as a tag. It may be zero. */
static bool is_small(LLVMValueRef number) {
  enum { MOST_BITS = 3, MOST = 7 };
  LLVMTypeRef type = element_of(LLVMTypeOf(number));
  if (LLVMIsAConstant(number) != NULL)
    return false;
  if (is_integer(type) && LLVMGetIntTypeWidth(type) <= MOST_BITS)
    return true;
  if (LLVMIsAZExtInst(number) != NULL || LLVMIsASExtInst(number) != NULL)
    return is_small(LLVMGetOperand(number, 0));
  if (LLVMIsABinaryOperator(number) == NULL || LLVMGetInstructionOpcode(number) != LLVMAnd)
    return false;
  LLVMValueRef mask = LLVMGetOperand(number, 1);
  bool is_constant = LLVMIsAConstantInt(mask) != NULL && LLVMGetIntTypeWidth(type) <= WORD_BITS;
  return (is_constant && LLVMConstIntGetZExtValue(mask) <= MOST) ||
         is_small(LLVMGetOperand(number, 0)) || is_small(mask);
}

/* True for a sum or difference that adds a tag or takes one off, or that combines the words of an
 * integer of several. */
static bool adds_tag(LLVMValueRef arithmetic) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(arithmetic);
  LLVMValueRef left = LLVMGetOperand(arithmetic, 0), right = LLVMGetOperand(arithmetic, 1);
  if (opcode != LLVMAdd && opcode != LLVMSub)
    return false;
  return is_small(left) || is_small(right) ||
         (is_wide(LLVMTypeOf(arithmetic)) &&
          (is_constant_or_shifted(left) || is_constant_or_shifted(right)));
}

/* True if the result may be the operand without its tag, or be made of whole words of it. */
static bool keeps_words(LLVMValueRef arithmetic) {
  return is_of_bits(LLVMGetInstructionOpcode(arithmetic)) || takes_tag_off(arithmetic) ||
         adds_tag(arithmetic);
}

/* True if only a few low bits of an address, or its highest ones, are kept: they are no address. */
static bool keeps_few_bits(LLVMValueRef arithmetic) {
  enum { FEW = 4096, MOST_SHIFT = 36 };
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(arithmetic); i++) {
    LLVMValueRef operand = LLVMGetOperand(arithmetic, i);
    if (LLVMIsAConstantInt(operand) == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(operand)) > 64)
      continue;
    unsigned long long constant = LLVMConstIntGetZExtValue(operand);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(arithmetic);
    if ((opcode == LLVMAnd && constant < FEW) ||
        (opcode == LLVMLShr && i == 1 && constant >= MOST_SHIFT))
      return true;
  }
  return false;
}

enum word_change spgc_change_by_arithmetic(LLVMValueRef arithmetic) {
  if (keeps_few_bits(arithmetic))
    return WORD_LOST;
  return keeps_words(arithmetic) ? WORD_UNTAGGED : WORD_COMPUTED;
}
