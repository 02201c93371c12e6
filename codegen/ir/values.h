/* A growing list of IR values. Zero-initialised, it is empty. */
#ifndef SPGC_CODEGEN_IR_VALUES_H
#define SPGC_CODEGEN_IR_VALUES_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct values {
  LLVMValueRef *at;
  unsigned count, capacity;
};

void spgc_values_add(struct values *values, LLVMValueRef value);
bool spgc_values_contain(const struct values *values, LLVMValueRef value);
void spgc_values_free(struct values *values);

#endif
