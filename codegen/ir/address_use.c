#include "codegen/ir/address_use.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/known_bits.h"
#include "codegen/ir/values.h"

/* Above the first page, in the user's half, aligned to words. */
static const uint64_t lowest_address = 4096, past_addresses = UINT64_C(1) << 47;
static const uint64_t moving_bits = ((UINT64_C(1) << 47) - 1) & ~UINT64_C(7);
static const uint64_t high_bits = ((UINT64_C(1) << 47) - 1) & ~UINT64_C(4095);

/* An address plus a constant, its masked bits, or anything else computed from it. */
struct image {
  enum { IMAGE_SHIFTED, IMAGE_MASKED, IMAGE_COMPUTED } kind;
  uint64_t constant;
};

static bool is_invariant(struct image image) {
  return image.kind == IMAGE_MASKED && (image.constant & moving_bits) == 0;
}

static bool lies_on_one_side(struct image image, uint64_t bound) {
  uint64_t first = lowest_address + image.constant, last = past_addresses - 1 + image.constant;
  return image.kind == IMAGE_SHIFTED && first <= last && (bound <= first || bound > last);
}

static bool never_equals(struct image image, uint64_t constant) {
  if (image.kind == IMAGE_COMPUTED)
    return false;
  if (image.kind == IMAGE_SHIFTED) {
    uint64_t address = constant - image.constant;
    return address < lowest_address || address >= past_addresses;
  }
  return (constant & ~image.constant) != 0 ||
         ((image.constant & high_bits) == high_bits && (constant & high_bits) == 0);
}

static bool compare_survives(LLVMValueRef compare, LLVMValueRef integer, struct image image) {
  uint64_t constant;
  if (LLVMGetOperand(compare, 0) != integer ||
      !spgc_bits_of_constant(LLVMGetOperand(compare, 1), &constant))
    return false;
  switch (LLVMGetICmpPredicate(compare)) {
  case LLVMIntEQ:
  case LLVMIntNE: return never_equals(image, constant);
  case LLVMIntULT:
  case LLVMIntUGE: return lies_on_one_side(image, constant);
  case LLVMIntULE:
  case LLVMIntUGT: return constant != UINT64_MAX && lies_on_one_side(image, constant + 1);
  default: return false;
  }
}

static bool add_constant(LLVMValueRef user, struct image *image, bool negative) {
  uint64_t constant;
  LLVMValueRef other = LLVMGetOperand(user, 1);
  if (image->kind != IMAGE_SHIFTED || !spgc_bits_of_constant(other, &constant))
    return false;
  image->constant += negative ? 0 - constant : constant;
  return true;
}

/* The bits that are equal in all shifted addresses. The low bits of an address are zero, so the
 * carry out of them is fixed. */
static uint64_t fixed_bits(struct image image) {
  uint64_t first = lowest_address + image.constant, last = past_addresses - 8 + image.constant;
  return 7 | (first / past_addresses == last / past_addresses ? ~(past_addresses - 1) : 0);
}

static bool mask(struct image *image, uint64_t bits) {
  if (image->kind == IMAGE_SHIFTED && image->constant != 0 && (bits & ~fixed_bits(*image)) != 0)
    return false;
  image->constant = image->kind == IMAGE_SHIFTED ? bits : image->constant & bits;
  image->kind = IMAGE_MASKED;
  return true;
}

static bool image_of_user(LLVMValueRef user, struct image *image) {
  uint64_t constant;
  if (image->kind == IMAGE_COMPUTED)
    return false;
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMAdd: return add_constant(user, image, false);
  case LLVMSub: return add_constant(user, image, true);
  case LLVMAnd:
    return spgc_bits_of_constant(LLVMGetOperand(user, 1), &constant) && mask(image, constant);
  case LLVMTrunc: return mask(image, spgc_bits_low(LLVMGetIntTypeWidth(LLVMTypeOf(user))));
  case LLVMZExt: return true;
  case LLVMLShr: /* independent of the address if all its bits are shifted out */
    return spgc_bits_of_constant(LLVMGetOperand(user, 1), &constant) && constant >= 47 &&
           mask(image, ~spgc_bits_low(47));
  default: return false;
  }
}

enum { EXPRESSION_DEPTH = 6 };

static bool uses_survive(LLVMValueRef integer, struct image image, unsigned depth);

static bool computes(LLVMValueRef user) {
  return LLVMIsABinaryOperator(user) != NULL || LLVMIsATruncInst(user) != NULL ||
         LLVMIsAZExtInst(user) != NULL || LLVMIsAFreezeInst(user) != NULL;
}

/* An immediate's bits never change. A value computed as one counts, because the code knows that its
 * operands are immediates. */
static bool use_survives(LLVMValueRef user, LLVMValueRef integer, struct image image,
                         unsigned depth) {
  if (LLVMIsAInstruction(user) == NULL)
    return false;
  if (LLVMIsABitCastInst(user))
    return LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMDoubleTypeKind;
  if (LLVMIsAIntToPtrInst(user))
    return spgc_bits_show_immediate(integer);
  if (LLVMIsAICmpInst(user))
    return compare_survives(user, integer, image);
  if (!computes(user) || depth == 0)
    return false;
  if (LLVMGetOperand(user, 0) != integer || !image_of_user(user, &image))
    image.kind = IMAGE_COMPUTED;
  return uses_survive(user, image, depth - 1);
}

static bool uses_survive(LLVMValueRef integer, struct image image, unsigned depth) {
  if (is_invariant(image))
    return true;
  IR_EACH_USER (user, integer)
    if (!use_survives(user, integer, image, depth))
      return false;
  return true;
}

bool spgc_address_uses_survive_moving(LLVMValueRef cast) {
  struct image image = {IMAGE_SHIFTED, 0};
  unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(cast));
  if (width > 64)
    return false;
  if (width < 64 && !mask(&image, spgc_bits_low(width)))
    return false;
  return uses_survive(cast, image, EXPRESSION_DEPTH);
}

bool spgc_address_use_survives_moving(LLVMValueRef user, LLVMValueRef integer) {
  struct image image = {IMAGE_SHIFTED, 0};
  return use_survives(user, integer, image, EXPRESSION_DEPTH);
}

/* A mask or a shift makes it from the cast of an address. */
static bool is_tag(LLVMValueRef value) {
  struct image image = {IMAGE_SHIFTED, 0};
  if (LLVMIsABinaryOperator(value) == NULL && LLVMIsATruncInst(value) == NULL)
    return false;
  return LLVMIsAPtrToIntInst(LLVMGetOperand(value, 0)) != NULL && image_of_user(value, &image) &&
         is_invariant(image);
}

/* The difference of two addresses is not an address. */
static bool is_distance(LLVMValueRef value) {
  return LLVMIsABinaryOperator(value) != NULL && LLVMGetInstructionOpcode(value) == LLVMSub &&
         spgc_ir_is_cast_of_reference(LLVMGetOperand(value, 0)) &&
         spgc_ir_is_cast_of_reference(LLVMGetOperand(value, 1));
}

static bool has_no_room(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMVectorTypeKind: return has_no_room(LLVMGetElementType(type));
  case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) == 1;
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMX86_FP80TypeKind:
  case LLVMFP128TypeKind: return true;
  default: return false;
  }
}

static bool counts_bits(LLVMValueRef call) {
  return spgc_ir_is_intrinsic(call, "llvm.ctpop.") || spgc_ir_is_intrinsic(call, "llvm.ctlz.") ||
         spgc_ir_is_intrinsic(call, "llvm.cttz.");
}

/* Whether the value can be an address taken from an operand. Intrinsics and assembly are no
 * functions here. */
static bool passes_addresses_on(LLVMValueRef value) {
  if (has_no_room(LLVMTypeOf(value)) || LLVMIsALoadInst(value) || LLVMIsAAllocaInst(value) ||
      LLVMIsAAtomicRMWInst(value) || LLVMIsAAtomicCmpXchgInst(value) || LLVMIsAVAArgInst(value))
    return false;
  if (spgc_ir_is_call(value))
    return LLVMIsAInlineAsm(LLVMGetCalledValue(value)) != NULL ||
           (spgc_ir_is_any_intrinsic(value) && !counts_bits(value));
  return true;
}

static void add_operands(struct values *sources, LLVMValueRef value) {
  if (spgc_values_add_choices(sources, value))
    return;
  int count = LLVMIsAGetElementPtrInst(value) ? 1 : LLVMGetNumOperands(value);
  for (int i = 0; i < count; i++)
    spgc_values_add_new(sources, LLVMGetOperand(value, (unsigned)i));
}

LLVMValueRef spgc_source_of_bits(LLVMValueRef integer, bool (*is_source)(LLVMValueRef value)) {
  struct values sources = {0};
  spgc_values_add(&sources, integer);
  LLVMValueRef found = NULL;
  for (unsigned i = 0; i < sources.count && found == NULL; i++) {
    LLVMValueRef value = sources.at[i];
    if (LLVMIsAInstruction(value) == NULL)
      continue;
    if (is_source(value))
      found = value;
    else if (passes_addresses_on(value) && !is_tag(value) && !is_distance(value) &&
             !spgc_bits_show_immediate(value))
      add_operands(&sources, value);
  }
  spgc_values_free(&sources);
  return found;
}

LLVMValueRef spgc_address_source(LLVMValueRef integer) {
  return spgc_source_of_bits(integer, spgc_ir_is_cast_of_reference);
}
