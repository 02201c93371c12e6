/* Loads and stores. Each is marked with its part of memory, so that LLVM need not repeat loads and
 * checks after a store to another part. A call may change anything. */
#include "frontend-demo/backend/emitter.h"

LLVMValueRef lox_in_memory(const struct lox_abi *abi, enum lox_memory memory, LLVMValueRef access) {
  LLVMSetMetadata(access, abi->memory_kind, abi->memory[memory]);
  return access;
}

static enum lox_memory memory_of_words(LLVMValueRef base) {
  return LLVMGetPointerAddressSpace(LLVMTypeOf(base)) == 0 ? LOX_MEMORY_UNMANAGED
                                                           : LOX_MEMORY_VALUES;
}

static LLVMValueRef load(struct lox_emitter *emitter, enum lox_memory memory, LLVMTypeRef type,
                         LLVMValueRef address) {
  return lox_in_memory(emitter->abi, memory, LLVMBuildLoad2(emitter->builder, type, address, ""));
}

static void store(struct lox_emitter *emitter, enum lox_memory memory, LLVMValueRef value,
                  LLVMValueRef address) {
  lox_in_memory(emitter->abi, memory, LLVMBuildStore(emitter->builder, value, address));
}

static LLVMValueRef address_of(struct lox_emitter *emitter, LLVMValueRef base,
                               LLVMValueRef offset) {
  LLVMTypeRef byte = LLVMInt8TypeInContext(emitter->abi->context);
  return LLVMBuildInBoundsGEP2(emitter->builder, byte, base, &offset, 1, "");
}

static LLVMValueRef address_at(struct lox_emitter *emitter, LLVMValueRef base, uint64_t offset) {
  return address_of(emitter, base, lox_abi_word(emitter->abi, offset));
}

LLVMValueRef lox_load_at(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef base,
                         LLVMValueRef offset) {
  return load(emitter, memory_of_words(base), type, address_of(emitter, base, offset));
}

LLVMValueRef lox_load(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef base,
                      uint64_t offset) {
  return lox_load_at(emitter, type, base, lox_abi_word(emitter->abi, offset));
}

void lox_store_at(struct lox_emitter *emitter, LLVMValueRef value, LLVMValueRef base,
                  LLVMValueRef offset) {
  store(emitter, memory_of_words(base), value, address_of(emitter, base, offset));
}

LLVMValueRef lox_item_offset(struct lox_emitter *emitter, LLVMValueRef index) {
  LLVMValueRef size = lox_abi_word(emitter->abi, sizeof(struct spgc_ref));
  LLVMValueRef bytes = LLVMBuildMul(emitter->builder, index, size, "");
  return LLVMBuildAdd(emitter->builder, bytes, lox_abi_word(emitter->abi, LOX_STORE_ITEMS), "");
}

LLVMValueRef lox_load_header(struct lox_emitter *emitter, LLVMValueRef object) {
  return load(emitter, LOX_MEMORY_HEADERS, emitter->abi->pointer, object);
}

void lox_store_header(struct lox_emitter *emitter, LLVMValueRef header, LLVMValueRef object) {
  store(emitter, LOX_MEMORY_HEADERS, header, object);
}

LLVMValueRef lox_load_structure(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef object,
                                uint64_t offset) {
  return load(emitter, LOX_MEMORY_STRUCTURE, type, address_at(emitter, object, offset));
}

void lox_store_structure(struct lox_emitter *emitter, LLVMValueRef value, LLVMValueRef object,
                         uint64_t offset) {
  store(emitter, LOX_MEMORY_STRUCTURE, value, address_at(emitter, object, offset));
}
