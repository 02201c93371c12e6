/* Source lines of code, from the debug information of the file it was loaded from.
 *
 * elfutils' libdw reads it, if the system has it. libspgc is not linked with libdw; a process loads
 * it only if it writes a log. */
#ifndef SPGC_GC_MUTATOR_CODE_LINE_H
#define SPGC_GC_MUTATOR_CODE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "gc/mutator/code_name.h"

/* Loads libdw, once. The caller holds no lock, because this takes the loader's. */
void spgc_code_lines_load(void);

/* Whether libdw is loaded. */
bool spgc_code_lines_exist(void);

/* Writes "FUNCTION (SOURCE:LINE, FILE+0xADDRESS)", as far as known. It opens files and is slow, so
 * it runs on a thread of its own. */
void spgc_code_describe_line(const struct spgc_code_place *place, char *text, size_t size);

#endif
