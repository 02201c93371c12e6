/* A reference's integer may be tested, compared and used in arithmetic. It must not become a
 * reference again or stay in memory, because no collection updates it. */
#include "codegen/check/check.h"

#include "codegen/ir/address_use.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/known_bits.h"
#include "codegen/ir/values.h"

static const struct objection made_of_number = {
    5,
    "a reference is made from an integer that may be the address of an object, and the collector "
    "does not update integers",
    "compute with getelementptr on the reference itself (in C, with the pointer); if it is a "
    "tagged or boxed number, build it with `or` and its tag, or with getelementptr i8 on null"};
static const struct objection several_at_once = {
    7, "the references of a vector are read as numbers, which would be stale after a collection",
    "take the references out of the vector, and cast or compare them one by one"};
static const struct objection through_ordinary_pointer = {
    8,
    "a reference is stored through an ordinary pointer that was made from a reference, so no card "
    "is marked",
    "keep the address in addrspace(1) (in C, do not cast it to a plain pointer or an integer)"};
static const struct objection kept = {
    9,
    "the address of an object is stored as an integer, which no collection updates when the object "
    "moves",
    "store the reference; to know an object again, or to hash by it, use spgc/identity.h"};
static const struct objection passed = {
    9,
    "the address of an object is passed as an integer to a managed function, which may reach a "
    "safepoint first",
    "pass the reference; to know an object again, or to hash by it, use spgc/identity.h"};

static const struct objection *no_addresses_of_vectors(LLVMValueRef instruction) {
  if (LLVMIsAPtrToIntInst(instruction) == NULL && !spgc_ir_is_ordered_compare(instruction))
    return NULL;
  return spgc_ir_type_is_reference_vector(LLVMTypeOf(LLVMGetOperand(instruction, 0)))
             ? &several_at_once
             : NULL;
}

enum { WORD_BITS = 64 };

static bool is_word(LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMVectorTypeKind || kind == LLVMStructTypeKind ||
         (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) >= WORD_BITS);
}

/* The word may be declared as a reference elsewhere. */
static bool is_read_from_object(LLVMValueRef value) {
  bool reads = LLVMIsALoadInst(value) != NULL || LLVMIsAAtomicRMWInst(value) != NULL ||
               LLVMIsAAtomicCmpXchgInst(value) != NULL;
  return reads && is_word(value) && spgc_ir_is_reference(LLVMGetOperand(value, 0));
}

static bool is_mask_of_tags(LLVMValueRef mask) {
  static const uint64_t address_bits = ((UINT64_C(1) << 47) - 1) & ~UINT64_C(4095);
  return LLVMIsAConstantInt(mask) != NULL &&
         (LLVMConstIntGetZExtValue(mask) & address_bits) == address_bits;
}

static bool keeps_address(LLVMValueRef value) {
  LLVMValueRef other = LLVMIsABinaryOperator(value) ? LLVMGetOperand(value, 1) : NULL;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMFreeze: return true;
  case LLVMAdd:
  case LLVMSub:
  case LLVMOr:
  case LLVMXor: return LLVMIsAConstantInt(other) != NULL;
  case LLVMAnd: return is_mask_of_tags(other);
  default: return false;
  }
}

static void add_results(struct values *values, LLVMValueRef call) {
  LLVMValueRef function = spgc_ir_is_call(call) ? spgc_ir_callee(call) : NULL;
  if (function == NULL)
    return;
  IR_EACH_BLOCK (block, function) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (LLVMIsAReturnInst(end) != NULL && LLVMGetNumOperands(end) != 0)
      spgc_values_add_new(values, LLVMGetOperand(end, 0));
  }
}

static bool is_put_together(LLVMValueRef value) {
  return LLVMIsAInsertElementInst(value) != NULL || LLVMIsAInsertValueInst(value) != NULL ||
         LLVMIsAShuffleVectorInst(value) != NULL;
}

/* Adds the operands from which the value may take an address. */
static void add_meanings(struct values *values, LLVMValueRef value) {
  if (spgc_values_add_choices(values, value))
    return;
  if (is_put_together(value))
    for (unsigned i = 0; i < 2; i++)
      spgc_values_add_new(values, LLVMGetOperand(value, i));
  else if (keeps_address(value))
    spgc_values_add_new(values, LLVMGetOperand(value, 0));
  else
    add_results(values, value);
}

static bool is_cast_word(struct values *values, LLVMValueRef value) {
  if (LLVMIsAInstruction(value) == NULL || !is_word(value) || spgc_bits_show_immediate(value))
    return false;
  if (spgc_ir_is_cast_of_reference(value))
    return true;
  add_meanings(values, value);
  return false;
}

static bool is_address(LLVMValueRef integer) {
  return spgc_values_search(integer, is_cast_word) != NULL;
}

static bool may_be_reference(LLVMValueRef value) {
  return spgc_ir_is_cast_of_reference(value) || is_read_from_object(value) ||
         (spgc_ir_is_call(value) && is_address(value));
}

/* `(T *)(long)p` means the reference itself. */
static const struct objection *references_are_made_of_immediates(LLVMValueRef instruction) {
  if (LLVMIsAIntToPtrInst(instruction) == NULL ||
      !spgc_ir_type_contains_reference(LLVMTypeOf(instruction)))
    return NULL;
  LLVMValueRef integer = LLVMGetOperand(instruction, 0);
  if (spgc_ir_is_cast_of_reference(integer) && is_word(integer))
    return NULL;
  return spgc_source_of_bits(integer, may_be_reference) != NULL ? &made_of_number : NULL;
}

static bool leads_into_object(LLVMValueRef address) {
  LLVMValueRef object = spgc_ir_underlying_object(address);
  return LLVMIsAIntToPtrInst(object) != NULL && !spgc_ir_is_reference(object) &&
         spgc_address_source(LLVMGetOperand(object, 0)) != NULL;
}

static const struct objection *stores_are_seen(LLVMValueRef instruction) {
  struct write write = spgc_write_of(instruction);
  if (spgc_ir_is_memory_transfer(instruction))
    return leads_into_object(LLVMGetOperand(instruction, 0)) ? &through_ordinary_pointer : NULL;
  bool stores = write.address != NULL && spgc_ir_type_contains_reference(LLVMTypeOf(write.value));
  return stores && leads_into_object(write.address) ? &through_ordinary_pointer : NULL;
}

static const struct objection *addresses_are_not_kept(LLVMValueRef instruction) {
  bool scatters = spgc_ir_is_intrinsic(instruction, "llvm.masked.scatter.");
  LLVMValueRef value = scatters ? LLVMGetOperand(instruction, 0) : spgc_write_of(instruction).value;
  return value != NULL && is_address(value) ? &kept : NULL;
}

/* The callee begins with a safepoint. */
static const struct objection *addresses_are_not_passed(LLVMValueRef instruction) {
  LLVMValueRef callee = spgc_ir_is_call(instruction) ? spgc_ir_callee(instruction) : NULL;
  if (callee == NULL || !spgc_ir_function_is_managed(callee))
    return NULL;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(instruction); i++)
    if (is_address(LLVMGetArgOperand(instruction, i)))
      return &passed;
  return NULL;
}

const struct objection *spgc_check_bits(LLVMValueRef instruction) {
  static const struct rule rules[] = {
      JUDGE(no_addresses_of_vectors), JUDGE(references_are_made_of_immediates),
      JUDGE(stores_are_seen), JUDGE(addresses_are_not_kept), JUDGE(addresses_are_not_passed)};
  return FIRST_OBJECTION(rules, instruction);
}
