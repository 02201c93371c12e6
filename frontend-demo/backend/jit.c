#include "frontend-demo/backend/compile.h"

enum spgc_result lox_jit_start(struct spgc_jit **jit, unsigned listeners,
                               struct spgc_error *error) {
  enum spgc_result result = spgc_llvm_initialise(error);
  if (result == SPGC_OK)
    result = spgc_jit_create(jit, error);
  if (result == SPGC_OK)
    result = spgc_jit_listen(*jit, listeners, error);
  return result;
}

enum spgc_result lox_jit_load(struct spgc_jit *jit, LLVMMemoryBufferRef object, const char *symbol,
                              void **unit, struct spgc_error *error) {
  enum spgc_result result = spgc_jit_add(jit, object, NULL, error);
  return result == SPGC_OK ? spgc_jit_lookup(jit, symbol, unit, error) : result;
}
