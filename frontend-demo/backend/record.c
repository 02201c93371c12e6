#include "frontend-demo/backend/record.h"

#include "frontend-demo/backend/require.h"

void lox_record_begin(struct lox_record *record, const struct lox_abi *abi) {
  record->abi = abi;
  record->offset = 0;
  record->count = 0;
}

static void add_field(struct lox_record *record, size_t offset, LLVMValueRef value, size_t size) {
  lox_require(record->offset == offset, "a field at %zu was written at %zu", offset,
              record->offset);
  lox_require(record->count < LOX_RECORD_FIELDS_MAX, "too many fields");
  record->fields[record->count++] = value;
  record->offset += size;
}

void lox_record_int32(struct lox_record *record, size_t offset, uint32_t value) {
  LLVMTypeRef type = LLVMInt32TypeInContext(record->abi->context);
  add_field(record, offset, LLVMConstInt(type, value, false), sizeof value);
}

void lox_record_int64(struct lox_record *record, size_t offset, uint64_t value) {
  add_field(record, offset, lox_abi_word(record->abi, value), sizeof value);
}

void lox_record_pointer(struct lox_record *record, size_t offset, LLVMValueRef pointer) {
  add_field(record, offset, pointer ? pointer : LLVMConstNull(record->abi->pointer),
            sizeof(void *));
}

LLVMValueRef lox_record_end(struct lox_record *record, size_t size) {
  lox_require(record->offset == size, "a structure of %zu bytes ends at %zu", size, record->offset);
  /* Packed, so that offsets are sums of sizes in every data layout. */
  return LLVMConstStructInContext(record->abi->context, record->fields, record->count, true);
}

static LLVMValueRef add_global(LLVMModuleRef module, LLVMValueRef initializer, const char *name) {
  LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(initializer), name);
  LLVMSetInitializer(global, initializer);
  LLVMSetLinkage(global, LLVMInternalLinkage);
  LLVMSetAlignment(global, sizeof(void *));
  return global;
}

LLVMValueRef lox_record_constant(LLVMModuleRef module, LLVMValueRef structure, const char *name) {
  LLVMValueRef global = add_global(module, structure, name);
  LLVMSetGlobalConstant(global, true);
  return global;
}

LLVMValueRef lox_record_writable(LLVMModuleRef module, LLVMValueRef structure, const char *name) {
  return add_global(module, structure, name);
}

LLVMValueRef lox_record_array(LLVMModuleRef module, LLVMValueRef *items, uint32_t count,
                              const char *name) {
  if (count == 0)
    return NULL;
  return lox_record_constant(module, LLVMConstArray2(LLVMTypeOf(items[0]), items, count), name);
}

LLVMValueRef lox_record_text(LLVMModuleRef module, const char *bytes, size_t length) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  return lox_record_constant(module, LLVMConstStringInContext2(context, bytes, length, false),
                             "text");
}
