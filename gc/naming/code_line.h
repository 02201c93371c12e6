/* Source lines of code, from the debug information of its file. elfutils' libdw reads it, if the
 * system has it. libspgc is not linked with libdw; a process loads it only if it writes a log, an
 * allocation profile or a heap snapshot. */
#ifndef SPGC_GC_NAMING_CODE_LINE_H
#define SPGC_GC_NAMING_CODE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "gc/naming/code_name.h"

/* Once. The caller holds no lock, because this takes the loader's. */
void spgc_code_lines_load(void);

bool spgc_code_lines_exist(void);

struct spgc_code_file;

/* Valid until the file is closed. */
struct spgc_code_line {
  const char *function, *source; /* NULL: not known */
  uint32_t line;                 /* 0: not known */
};

/* NULL if libdw is not loaded or cannot read the file. */
struct spgc_code_file *spgc_code_file_open(const char *file, bool is_program);

/* `address` is in the file (struct spgc_code_place). */
struct spgc_code_line spgc_code_file_find(struct spgc_code_file *file, uintptr_t address);

/* The name of the variable at an address in the file, and the offset in it; or NULL. Valid until
 * the file is closed. */
const char *spgc_code_file_find_variable(struct spgc_code_file *file, uintptr_t address,
                                         uint64_t *offset);

/* NULL does nothing. */
void spgc_code_file_close(struct spgc_code_file *file);

/* Writes "FUNCTION (SOURCE:LINE, FILE+0xADDRESS)", as far as known. Slow, so it runs on a thread of
 * its own. */
void spgc_code_describe_line(const struct spgc_code_place *place, char *text, size_t size);

#endif
