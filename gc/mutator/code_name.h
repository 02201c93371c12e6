/* What code is called, found without the loader's lock: a thread that waits for the calling one may
 * hold it, inside dlopen. */
#ifndef SPGC_GC_MUTATOR_CODE_NAME_H
#define SPGC_GC_MUTATOR_CODE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where an instruction is. */
struct spgc_code_place {
  char function[128]; /* an exported one's name, like dladdr's, or one of spgc_code_names_add */
  char file[256];     /* that the code was loaded from; empty: from none */
  uintptr_t address; /* in the file's own terms, those of addr2line; in memory when there is none */
  bool is_program;   /* the file is the program's */
};

/* The code stays loaded meanwhile. */
void spgc_code_find(uintptr_t instruction, struct spgc_code_place *place);

/* "FUNCTION (FILE+0xADDRESS)", as far as they are known. */
void spgc_code_describe(const struct spgc_code_place *place, char *text, size_t size);

#endif
