/* Indexes: numbers that are whole, as integers. */
#include "frontend-demo/fast/fast.h"
#include "frontend-demo/runtime/abi.h"

static LLVMValueRef equals_number(struct lox_emitter *emitter, LLVMValueRef integer,
                                  LLVMValueRef number) {
  LLVMValueRef as_number = LLVMBuildSIToFP(emitter->builder, integer, emitter->abi->number, "");
  return LLVMBuildFCmp(emitter->builder, LLVMRealOEQ, as_number, number, "");
}

/* Continues with the integer that equals the number. The known integer can differ because of
 * rounding: beyond 2^53, or on the way back from there. */
static LLVMValueRef guard_whole(struct lox_emitter *emitter, struct lox_value number,
                                LLVMBasicBlockRef otherwise) {
  LLVMValueRef known = lox_whole(emitter, number);
  LLVMValueRef is_right = equals_number(emitter, known, number.llvm);
  if (!number.whole || LLVMIsConstant(is_right)) {
    lox_guard(emitter, is_right, otherwise);
    return known;
  }
  LLVMBasicBlockRef start = lox_current_block(emitter);
  LLVMBasicBlockRef convert = lox_block(emitter, "whole.convert");
  LLVMBasicBlockRef done = lox_block(emitter, "whole.done");
  lox_branch_likely(emitter, is_right, done, convert);

  lox_enter(emitter, convert);
  LLVMValueRef converted = lox_whole(emitter, lox_number(number.llvm));
  lox_branch(emitter, equals_number(emitter, converted, number.llvm), done, otherwise);
  lox_enter(emitter, done);
  return lox_phi(emitter, known, start, converted, convert);
}

LLVMValueRef lox_guard_index(struct lox_emitter *emitter, struct lox_value index,
                             LLVMValueRef limit, LLVMBasicBlockRef otherwise) {
  lox_guard(emitter, lox_is_number(emitter, index), otherwise);
  if (index.kind != LOX_KIND_NUMBER)
    index = lox_number(lox_convert(emitter, index, LOX_KIND_NUMBER));
  LLVMValueRef whole = guard_whole(emitter, index, otherwise);
  lox_guard(emitter, LLVMBuildICmp(emitter->builder, LLVMIntULT, whole, limit, ""), otherwise);
  return whole;
}

LLVMValueRef lox_item_offset(struct lox_emitter *emitter, LLVMValueRef index) {
  LLVMValueRef size = lox_abi_word(emitter->abi, sizeof(struct spgc_ref));
  LLVMValueRef bytes = LLVMBuildMul(emitter->builder, index, size, "");
  return LLVMBuildAdd(emitter->builder, bytes, lox_abi_word(emitter->abi, LOX_STORE_ITEMS), "");
}
