/* Names of code and variables, found without the loader's lock: a thread inside dlopen may hold it
 * and wait for the calling one. */
#ifndef SPGC_GC_NAMING_CODE_NAME_H
#define SPGC_GC_NAMING_CODE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_map;

struct spgc_code_place {
  char function[128]; /* like dladdr's, or one of spgc_code_names_add */
  char file[256];     /* or empty */
  uintptr_t address;  /* offset for addr2line; in memory without a file */
  bool is_program;
  bool is_named; /* else `function` is "a function", or empty */
};

/* As the language gives it (spgc_set_source_finder). */
struct spgc_code_source {
  char function[128], file[256]; /* may be empty */
  uint32_t line;                 /* or 0 */
};

/* The code must stay loaded. */
void spgc_code_find(uintptr_t instruction, struct spgc_code_place *place);

/* The file's entry in the loader's list, or NULL. */
const struct link_map *spgc_code_find_file(uintptr_t address, struct spgc_code_place *place);

/* Like "table" or "table+16", from spgc_variable_names_add. */
bool spgc_variable_find(uintptr_t address, char *text, size_t size);

extern _Thread_local uint16_t spgc_finding_source __attribute__((tls_model("initial-exec")));

/* The source of a managed frame's call. False if the language gives none. */
bool spgc_code_find_source(uintptr_t instruction, uint64_t statepoint_id,
                           struct spgc_code_source *source);

/* Called when names of code in [start, end) are removed, some of which may stay. Any thread,
 * without locks. */
typedef void spgc_code_gone_hook(uintptr_t start, uintptr_t end);

/* NULL removes it. */
void spgc_code_set_gone_hook(spgc_code_gone_hook *hook);

/* "FUNCTION (FILE+0xADDRESS)", as far as known. */
void spgc_code_describe(const struct spgc_code_place *place, char *text, size_t size);

#endif
