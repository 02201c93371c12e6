/* Constant C structures. Fields give their offsets in C, so a record cannot disagree with the
 * runtime's header. */
#ifndef LOX_BACKEND_RECORD_H
#define LOX_BACKEND_RECORD_H

#include <stddef.h>

#include "frontend-demo/backend/abi.h"

enum { LOX_RECORD_FIELDS_MAX = 48 };

/* Invariant: `offset` is the bytes of all fields so far. */
struct lox_record {
  const struct lox_abi *abi;
  size_t offset;
  unsigned count;
  LLVMValueRef fields[LOX_RECORD_FIELDS_MAX];
};

void lox_record_begin(struct lox_record *record, const struct lox_abi *abi);

/* In ascending order of offset, without a gap. */
void lox_record_int32(struct lox_record *record, size_t offset, uint32_t value);
void lox_record_int64(struct lox_record *record, size_t offset, uint64_t value);
void lox_record_pointer(struct lox_record *record, size_t offset, LLVMValueRef pointer);

#define LOX_INT32(record, type, field, value)                                                      \
  lox_record_int32(record, offsetof(struct type, field), value)
#define LOX_INT64(record, type, field, value)                                                      \
  lox_record_int64(record, offsetof(struct type, field), value)
#define LOX_POINTER(record, type, field, value)                                                    \
  lox_record_pointer(record, offsetof(struct type, field), value)

/* `size` is the C structure's. */
LLVMValueRef lox_record_end(struct lox_record *record, size_t size);

LLVMValueRef lox_record_constant(LLVMModuleRef module, LLVMValueRef structure, const char *name);
LLVMValueRef lox_record_writable(LLVMModuleRef module, LLVMValueRef structure, const char *name);

/* NULL for no items. */
LLVMValueRef lox_record_array(LLVMModuleRef module, LLVMValueRef *items, uint32_t count,
                              const char *name);

LLVMValueRef lox_record_text(LLVMModuleRef module, const char *bytes, size_t length);

#endif
