/* Names of code that was not loaded from a file, such as a JIT's. The log uses them for functions
 * that it names, such as the one that a stop of all threads waited for (SPGC_OPTIONS log and
 * slow_stop). libspgc-llvm's JIT adds the names of the code it loads. */
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

/* The caller owns the structure, the array and the names, and keeps them until they are removed. */
struct spgc_code_names {
  const struct spgc_code_name *names;
  size_t count;
  struct spgc_code_names *next; /* written by the library */
};

/* Adds names. Any thread, any state. Not a safepoint. */
void spgc_code_names_add(struct spgc_code_names *names);

/* Removes names. Fatal if they were not added. Any thread, any state. Not a safepoint. */
void spgc_code_names_remove(struct spgc_code_names *names);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
