#ifndef SPGC_GC_OPTIONS_H
#define SPGC_GC_OPTIONS_H

#include "spgc/heap.h"

/* Reads SPGC_OPTIONS over the program's options, unless the process has raised privileges. An error names the variable. */
enum spgc_result spgc_options_read_environment(struct spgc_options *options,
                                               struct spgc_error *error);

/* The numbers that have the same range in SPGC_OPTIONS and for spgc_start. */
enum spgc_result spgc_options_check_ranges(const struct spgc_options *options,
                                           struct spgc_error *error);

#endif
