/* Names of code and variables. They are found without the loader's lock, because a thread that
 * waits for the calling one may hold it, inside dlopen. */
#ifndef SPGC_GC_NAMING_CODE_NAME_H
#define SPGC_GC_NAMING_CODE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The place of an instruction. */
struct spgc_code_place {
  char function[128]; /* exported name, like dladdr's, or a name of spgc_code_names_add */
  char file[256];     /* that the code was loaded from, or empty */
  uintptr_t address;  /* in the file, as addr2line expects it; in memory if there is no file */
  bool is_program;    /* the file is the program itself */
  bool is_named;      /* `function` is a name; otherwise it is "a function", or empty */
};

/* Given by the language (spgc_set_source_finder). */
struct spgc_code_source {
  char function[128], file[256]; /* the file is empty if the language does not give it */
  uint32_t line;                 /* 0: not given */
};

/* The code must stay loaded. */
void spgc_code_find(uintptr_t instruction, struct spgc_code_place *place);

/* The file of an address, and the address in it; the function stays empty. False if there is no
 * file. */
bool spgc_code_find_file(uintptr_t address, struct spgc_code_place *place);

/* The name of spgc_variable_names_add for a variable that contains the address, as in "table" or
 * "table+16". False if it has none. */
bool spgc_variable_find(uintptr_t address, char *text, size_t size);

/* Running calls of the source finder in the calling thread. */
extern _Thread_local uint16_t spgc_finding_source __attribute__((tls_model("initial-exec")));

/* Of a managed frame's call. False if the language gives none. */
bool spgc_code_find_source(uintptr_t instruction, uint64_t statepoint_id,
                           struct spgc_code_source *source);

/* Called before code in [start, end) goes, on any thread, with no lock. Some of it may stay. */
typedef void spgc_code_gone_hook(uintptr_t start, uintptr_t end);

/* Sets the only hook. NULL removes it. */
void spgc_code_set_gone_hook(spgc_code_gone_hook *hook);

void spgc_code_file_goes(const void *address);

/* Writes "FUNCTION (FILE+0xADDRESS)", as far as known. */
void spgc_code_describe(const struct spgc_code_place *place, char *text, size_t size);

#endif
