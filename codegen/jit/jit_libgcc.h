/* libgcc's registration of unwind information, if the process has it. Before GCC 13 it is a list: a
 * later table for the same code takes over when the earlier one is removed. Since GCC 13 it is a
 * tree, which refuses a second table for the same code, and takes any number of sections. */
#ifndef SPGC_CODEGEN_JIT_JIT_LIBGCC_H
#define SPGC_CODEGEN_JIT_JIT_LIBGCC_H

#include <stdbool.h>
#include <stdint.h>

enum jit_libgcc { JIT_LIBGCC_NONE, JIT_LIBGCC_LIST, JIT_LIBGCC_TREE };

/* Tries a function that is never run. */
enum jit_libgcc spgc_jit_libgcc_kind(void);

/* For JIT_LIBGCC_TREE: one section, which ends with four zero bytes. */
void spgc_jit_libgcc_add(const uint8_t *frames);
void spgc_jit_libgcc_remove(const uint8_t *frames);

/* For JIT_LIBGCC_LIST: the sections are an array that ends with NULL. Libgcc allocates nothing, and
 * keeps its data in `record` until they are removed. */
enum { JIT_LIBGCC_RECORD_WORDS = 8 };
void spgc_jit_libgcc_add_all(const uint8_t **sections, uintptr_t *record);
void spgc_jit_libgcc_remove_all(const uint8_t **sections);

#endif
