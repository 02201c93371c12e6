/* Names of code. They are found without the loader's lock, because a thread that waits for the
 * calling one may hold it, inside dlopen. */
#ifndef SPGC_GC_MUTATOR_CODE_NAME_H
#define SPGC_GC_MUTATOR_CODE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The place of an instruction. */
struct spgc_code_place {
  char function[128]; /* exported name, like dladdr's, or a name of spgc_code_names_add */
  char file[256];     /* that the code was loaded from, or empty */
  uintptr_t address;  /* in the file, as addr2line expects it; in memory if there is no file */
  bool is_program;    /* the file is the program itself */
};

/* Finds the place of an instruction. The code must stay loaded meanwhile. */
void spgc_code_find(uintptr_t instruction, struct spgc_code_place *place);

/* Writes "FUNCTION (FILE+0xADDRESS)", as far as known. */
void spgc_code_describe(const struct spgc_code_place *place, char *text, size_t size);

#endif
