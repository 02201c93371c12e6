#include "codegen/ir/values.h"

#include <stdlib.h>
#include <string.h>

#include "support/fatal.h"

static void grow(struct values *values) {
  unsigned capacity = values->capacity == 0 ? 16 : 2 * values->capacity;
  LLVMValueRef *grown = (LLVMValueRef *)calloc(capacity, sizeof(LLVMValueRef));
  spgc_require(grown != NULL, "out of memory");
  for (unsigned i = 0; i < values->count; i++)
    grown[i] = values->at[i];
  free((void *)values->at);
  values->at = grown;
  values->capacity = capacity;
}

void spgc_values_add(struct values *values, LLVMValueRef value) {
  if (values->count == values->capacity)
    grow(values);
  values->at[values->count++] = value;
}

bool spgc_values_contain(const struct values *values, LLVMValueRef value) {
  for (unsigned i = 0; i < values->count; i++)
    if (values->at[i] == value)
      return true;
  return false;
}

void spgc_values_free(struct values *values) {
  free((void *)values->at);
  *values = (struct values){0};
}
