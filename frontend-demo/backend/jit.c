/* Code that runs at once. */
#include "frontend-demo/backend/compile.h"

#include "frontend-demo/runtime/abi.h"

static enum spgc_result define_entry_points(struct spgc_jit *jit, struct spgc_error *error) {
  for (size_t i = 0; i < lox_entry_point_count; i++) {
    const struct lox_entry_point *entry = &lox_entry_points[i];
    enum spgc_result result = spgc_jit_define(jit, entry->name, entry->address, error);
    if (result != SPGC_OK)
      return result;
  }
  return SPGC_OK;
}

enum spgc_result lox_jit_start(struct spgc_jit **jit, unsigned listeners,
                               struct spgc_error *error) {
  enum spgc_result result = spgc_llvm_initialise(error);
  if (result == SPGC_OK)
    result = spgc_jit_create(jit, error);
  if (result == SPGC_OK)
    result = spgc_jit_listen(*jit, listeners, error);
  if (result == SPGC_OK)
    result = define_entry_points(*jit, error);
  return result;
}

enum spgc_result lox_jit_load(struct spgc_jit *jit, LLVMMemoryBufferRef object, const char *symbol,
                              void **unit, struct spgc_error *error) {
  enum spgc_result result = spgc_jit_add(jit, object, NULL, error);
  return result == SPGC_OK ? spgc_jit_lookup(jit, symbol, unit, error) : result;
}
