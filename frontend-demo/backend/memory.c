#include "frontend-demo/backend/emitter.h"

static LLVMValueRef address_of(struct lox_emitter *emitter, LLVMValueRef base,
                               LLVMValueRef offset) {
  LLVMTypeRef byte = LLVMInt8TypeInContext(emitter->abi->context);
  return LLVMBuildInBoundsGEP2(emitter->builder, byte, base, &offset, 1, "");
}

LLVMValueRef lox_load_at(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef base,
                         LLVMValueRef offset) {
  return LLVMBuildLoad2(emitter->builder, type, address_of(emitter, base, offset), "");
}

LLVMValueRef lox_load(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef base,
                      uint64_t offset) {
  return lox_load_at(emitter, type, base, lox_abi_word(emitter->abi, offset));
}

void lox_store_at(struct lox_emitter *emitter, LLVMValueRef value, LLVMValueRef base,
                  LLVMValueRef offset) {
  LLVMBuildStore(emitter->builder, value, address_of(emitter, base, offset));
}

void lox_store(struct lox_emitter *emitter, LLVMValueRef value, LLVMValueRef base,
               uint64_t offset) {
  lox_store_at(emitter, value, base, lox_abi_word(emitter->abi, offset));
}

LLVMValueRef lox_load_header(struct lox_emitter *emitter, LLVMValueRef object) {
  return LLVMBuildLoad2(emitter->builder, emitter->abi->pointer, object, "");
}
