/* Tests that distinguish values (runtime/abi.h) look at a word's integer. An object's changes when
 * it moves, but stays between the same bounds, so results stay valid across safepoints. */
#include "frontend-demo/emit/unit.h"

struct lox_value lox_any(LLVMValueRef llvm) {
  return (struct lox_value){.llvm = llvm, .kind = LOX_KIND_ANY};
}

struct lox_value lox_instance(LLVMValueRef llvm) {
  return (struct lox_value){.llvm = llvm, .kind = LOX_KIND_ANY, .is_instance = true};
}

struct lox_value lox_number(LLVMValueRef llvm) {
  return (struct lox_value){.llvm = llvm, .kind = LOX_KIND_NUMBER};
}

struct lox_value lox_boolean(LLVMValueRef llvm) {
  return (struct lox_value){.llvm = llvm, .kind = LOX_KIND_BOOLEAN};
}

struct lox_value lox_nil(struct lox_emitter *emitter) {
  return (struct lox_value){.llvm = lox_abi_constant(emitter->abi, LOX_VALUE_NIL),
                            .kind = LOX_KIND_NIL};
}

static LLVMValueRef first_number(struct lox_emitter *emitter) {
  return lox_abi_word(emitter->abi, UINT64_C(1) << LOX_NUMBER_SHIFT);
}

/* NaNs stay as they are: this machine's arithmetic and LLVM's folding make only the two quiet NaNs
 * without a payload. Adding the shift to these does not wrap. */
static LLVMValueRef encode_number(struct lox_emitter *emitter, LLVMValueRef number) {
  LLVMValueRef bits = LLVMBuildBitCast(emitter->builder, number, emitter->abi->word, "");
  return LLVMBuildNUWAdd(emitter->builder, bits, first_number(emitter), "");
}

static LLVMValueRef encode_boolean(struct lox_emitter *emitter, LLVMValueRef boolean) {
  return LLVMBuildSelect(emitter->builder, boolean, lox_abi_word(emitter->abi, LOX_VALUE_TRUE),
                         lox_abi_word(emitter->abi, LOX_VALUE_FALSE), "");
}

static LLVMValueRef word_of(struct lox_emitter *emitter, struct lox_value value) {
  switch (value.kind) {
  case LOX_KIND_NUMBER: return encode_number(emitter, value.llvm);
  case LOX_KIND_BOOLEAN: return encode_boolean(emitter, value.llvm);
  default: return LLVMBuildPtrToInt(emitter->builder, value.llvm, emitter->abi->word, "");
  }
}

LLVMValueRef lox_box(struct lox_emitter *emitter, struct lox_value value) {
  if (value.kind != LOX_KIND_NUMBER && value.kind != LOX_KIND_BOOLEAN)
    return value.llvm;
  return LLVMBuildIntToPtr(emitter->builder, word_of(emitter, value), emitter->abi->value, "");
}

LLVMValueRef lox_decode_number(struct lox_emitter *emitter, LLVMValueRef boxed) {
  LLVMValueRef word = LLVMBuildPtrToInt(emitter->builder, boxed, emitter->abi->word, "");
  LLVMValueRef bits = LLVMBuildSub(emitter->builder, word, first_number(emitter), "");
  return LLVMBuildBitCast(emitter->builder, bits, emitter->abi->number, "");
}

struct lox_value lox_unbox(struct lox_emitter *emitter, LLVMValueRef boxed, enum lox_kind kind) {
  LLVMValueRef llvm = lox_convert(emitter, lox_any(boxed), kind);
  return (struct lox_value){.llvm = llvm, .kind = kind};
}

LLVMValueRef lox_convert(struct lox_emitter *emitter, struct lox_value value, enum lox_kind kind) {
  if (kind == value.kind)
    return value.llvm;
  if (kind == LOX_KIND_NUMBER)
    return lox_decode_number(emitter, lox_box(emitter, value));
  if (kind == LOX_KIND_BOOLEAN)
    return LLVMBuildICmp(emitter->builder, LLVMIntEQ, lox_box(emitter, value),
                         lox_abi_constant(emitter->abi, LOX_VALUE_TRUE), "");
  return lox_box(emitter, value);
}

LLVMTypeRef lox_kind_type(const struct lox_abi *abi, enum lox_kind kind) {
  switch (kind) {
  case LOX_KIND_NUMBER: return abi->number;
  case LOX_KIND_BOOLEAN: return abi->boolean;
  default: return abi->value;
  }
}

static LLVMValueRef certainly(struct lox_emitter *emitter, bool truth) {
  return LLVMConstInt(emitter->abi->boolean, truth, false);
}

static bool is_always_object(struct lox_value value) {
  return value.is_instance || value.kind == LOX_KIND_STRING || value.kind == LOX_KIND_LIST;
}

static bool is_never_object(struct lox_value value) {
  return value.kind == LOX_KIND_NUMBER || value.kind == LOX_KIND_BOOLEAN ||
         value.kind == LOX_KIND_NIL;
}

LLVMValueRef lox_is_number(struct lox_emitter *emitter, struct lox_value value) {
  if (value.kind == LOX_KIND_NUMBER)
    return certainly(emitter, true);
  if (is_never_object(value) || is_always_object(value))
    return certainly(emitter, false);
  return LLVMBuildICmp(emitter->builder, LLVMIntUGE, word_of(emitter, value), first_number(emitter),
                       "");
}

LLVMValueRef lox_is_object(struct lox_emitter *emitter, struct lox_value value) {
  if (is_always_object(value))
    return certainly(emitter, true);
  if (is_never_object(value))
    return certainly(emitter, false);
  LLVMValueRef first = lox_abi_word(emitter->abi, LOX_FIRST_OBJECT);
  LLVMValueRef past = LLVMConstSub(first_number(emitter), first);
  LLVMValueRef distance = LLVMBuildSub(emitter->builder, word_of(emitter, value), first, "");
  return LLVMBuildICmp(emitter->builder, LLVMIntULT, distance, past, "");
}

static LLVMValueRef differs(struct lox_emitter *emitter, LLVMValueRef word, uint64_t constant) {
  return LLVMBuildICmp(emitter->builder, LLVMIntNE, word, lox_abi_word(emitter->abi, constant), "");
}

LLVMValueRef lox_is_truthy(struct lox_emitter *emitter, struct lox_value value) {
  if (value.kind == LOX_KIND_BOOLEAN)
    return value.llvm;
  if (value.kind == LOX_KIND_NUMBER || is_always_object(value))
    return certainly(emitter, true);
  LLVMValueRef word = word_of(emitter, value);
  return LLVMBuildAnd(emitter->builder, differs(emitter, word, LOX_VALUE_NIL),
                      differs(emitter, word, LOX_VALUE_FALSE), "");
}

/* A number that fits no integer converts to poison, so it is frozen first. */
LLVMValueRef lox_guard_index(struct lox_emitter *emitter, struct lox_value index,
                             LLVMValueRef limit, LLVMBasicBlockRef otherwise) {
  LLVMBuilderRef builder = emitter->builder;
  lox_guard(emitter, lox_is_number(emitter, index), otherwise);
  LLVMValueRef number = lox_convert(emitter, index, LOX_KIND_NUMBER);
  LLVMValueRef part = LLVMBuildFPToSI(builder, number, emitter->abi->word, "");
  LLVMValueRef whole = LLVMBuildFreeze(builder, part, "");
  LLVMValueRef back = LLVMBuildSIToFP(builder, whole, emitter->abi->number, "");
  lox_guard(emitter, LLVMBuildFCmp(builder, LLVMRealOEQ, back, number, ""), otherwise);
  lox_guard(emitter, LLVMBuildICmp(builder, LLVMIntULT, whole, limit, ""), otherwise);
  return whole;
}

void lox_guard_header(struct lox_emitter *emitter, struct lox_value value, LLVMValueRef header,
                      LLVMBasicBlockRef otherwise) {
  lox_guard(emitter, lox_is_object(emitter, value), otherwise);
  LLVMValueRef actual = lox_load_header(emitter, lox_box(emitter, value));
  lox_guard(emitter, LLVMBuildICmp(emitter->builder, LLVMIntEQ, actual, header, ""), otherwise);
}
