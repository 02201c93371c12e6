#include "codegen/ir/known_bits.h"

#include <stddef.h>

/* Objects are aligned to 8 bytes, in the user's half of the addresses. */
static const uint64_t tag_bits = 7 | ~((UINT64_C(1) << 47) - 1);

struct bits {
  uint64_t ones, zeros;
};

enum { DEPTH = 8, WIDTH = 64 };

static const struct bits nothing_known = {0, 0};

static struct bits bits_of(LLVMValueRef integer, unsigned depth);

bool spgc_bits_of_constant(LLVMValueRef value, uint64_t *constant) {
  if (LLVMIsAConstantInt(value) == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > WIDTH)
    return false;
  *constant = LLVMConstIntGetZExtValue(value);
  return true;
}

uint64_t spgc_bits_low(unsigned count) {
  return count >= WIDTH ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* Known below the first bit that is unknown in an operand. */
static struct bits sum(struct bits a, struct bits b, bool subtract) {
  uint64_t unknown = ~((a.ones | a.zeros) & (b.ones | b.zeros));
  uint64_t known = unknown == 0 ? UINT64_MAX : (unknown & -unknown) - 1;
  uint64_t value = subtract ? a.ones - b.ones : a.ones + b.ones;
  return (struct bits){value & known, ~value & known};
}

static struct bits shifted(LLVMValueRef shift, unsigned depth) {
  uint64_t distance;
  if (!spgc_bits_of_constant(LLVMGetOperand(shift, 1), &distance) || distance >= WIDTH)
    return nothing_known;
  struct bits bits = bits_of(LLVMGetOperand(shift, 0), depth);
  if (LLVMGetInstructionOpcode(shift) == LLVMShl)
    return (struct bits){bits.ones << distance,
                         bits.zeros << distance | spgc_bits_low((unsigned)distance)};
  return (struct bits){bits.ones >> distance, bits.zeros >> distance | ~(UINT64_MAX >> distance)};
}

static struct bits of_both(struct bits a, struct bits b) {
  return (struct bits){a.ones & b.ones, a.zeros & b.zeros};
}

static struct bits of_phi(LLVMValueRef phi, unsigned depth) {
  struct bits bits = {UINT64_MAX, UINT64_MAX};
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    bits = of_both(bits, bits_of(LLVMGetIncomingValue(phi, i), depth));
  return bits;
}

static struct bits of_instruction(LLVMValueRef value, unsigned depth) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
  struct bits a, b;
  switch (opcode) {
  case LLVMPHI: return of_phi(value, depth);
  case LLVMLShr:
  case LLVMShl: return shifted(value, depth);
  case LLVMFreeze: return bits_of(LLVMGetOperand(value, 0), depth);
  case LLVMZExt:
    a = bits_of(LLVMGetOperand(value, 0), depth);
    a.zeros |= ~spgc_bits_low(LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(value, 0))));
    return a;
  case LLVMSelect:
    return of_both(bits_of(LLVMGetOperand(value, 1), depth),
                   bits_of(LLVMGetOperand(value, 2), depth));
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMAdd:
  case LLVMSub: break;
  default: return nothing_known;
  }
  a = bits_of(LLVMGetOperand(value, 0), depth);
  b = bits_of(LLVMGetOperand(value, 1), depth);
  switch (opcode) {
  case LLVMAnd: return (struct bits){a.ones & b.ones, a.zeros | b.zeros};
  case LLVMOr: return (struct bits){a.ones | b.ones, a.zeros & b.zeros};
  case LLVMXor:
    return (struct bits){(a.ones & b.zeros) | (a.zeros & b.ones),
                         (a.ones & b.ones) | (a.zeros & b.zeros)};
  default: return sum(a, b, opcode == LLVMSub);
  }
}

static struct bits bits_of(LLVMValueRef integer, unsigned depth) {
  uint64_t constant;
  if (spgc_bits_of_constant(integer, &constant))
    return (struct bits){constant, ~constant};
  if (depth == 0 || LLVMIsAInstruction(integer) == NULL ||
      LLVMGetTypeKind(LLVMTypeOf(integer)) != LLVMIntegerTypeKind ||
      LLVMGetIntTypeWidth(LLVMTypeOf(integer)) > WIDTH)
    return nothing_known;
  return of_instruction(integer, depth - 1);
}

bool spgc_bits_show_immediate(LLVMValueRef integer) {
  return (bits_of(integer, DEPTH).ones & tag_bits) != 0;
}
