#ifndef SPGC_CODEGEN_IR_CONSTANT_BYTES_H
#define SPGC_CODEGEN_IR_CONSTANT_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

struct constant_bytes {
  LLVMTargetDataRef data;
  LLVMValueRef global, initializer;
  uint64_t offset;
};

/* False unless it points to a constant whose content is final. */
bool spgc_constant_bytes_at(LLVMTargetDataRef data, LLVMValueRef pointer,
                            struct constant_bytes *bytes);

bool spgc_constant_bytes_end(const struct constant_bytes *bytes, uint64_t at);

enum { CONSTANT_UNKNOWN = -1 };

int64_t spgc_constant_number(const struct constant_bytes *bytes, uint64_t at);

LLVMValueRef spgc_constant_pointer(const struct constant_bytes *bytes, uint64_t at);

#endif
