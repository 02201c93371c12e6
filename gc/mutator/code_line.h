/* Source lines of code, by the debug information of the file it was loaded from.
 *
 * elfutils' libdw reads it, if the system has it: libspgc is not linked with it, and only a process
 * that writes a log loads it. */
#ifndef SPGC_GC_MUTATOR_CODE_LINE_H
#define SPGC_GC_MUTATOR_CODE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "gc/mutator/code_name.h"

/* Loads libdw, once. Without locks: this takes the loader's. */
void spgc_code_lines_load(void);

/* Whether it is loaded. */
bool spgc_code_lines_exist(void);

/* "FUNCTION (SOURCE:LINE, FILE+0xADDRESS)", as far as they are known. Opens files, and takes long:
 * for a thread that nobody waits for. */
void spgc_code_describe_line(const struct spgc_code_place *place, char *text, size_t size);

#endif
