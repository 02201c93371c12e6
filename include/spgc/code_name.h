/* Names of code that was loaded from no file: a JIT's. The log names functions by them, such as the
 * one that a stop of all threads waited for (SPGC_OPTIONS log and slow_stop). libspgc-llvm's JIT
 * adds those of what it loads itself. */
#ifndef SPGC_CODE_NAME_H
#define SPGC_CODE_NAME_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A function's code. */
struct spgc_code_name {
  uintptr_t start;
  size_t size; /* in bytes */
  const char *name;
};

/* The caller owns the structure, the array and the names, and keeps them until it removes them. */
struct spgc_code_names {
  const struct spgc_code_name *names;
  size_t count;
  struct spgc_code_names *next; /* the library's */
};

/* Any thread, attached or not. No safepoint. */
void spgc_code_names_add(struct spgc_code_names *names);

/* As above. Fatal for what was not added. */
void spgc_code_names_remove(struct spgc_code_names *names);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
