/* The options that the environment sets, over those of the program. */
#ifndef SPGC_GC_OPTIONS_H
#define SPGC_GC_OPTIONS_H

#include "spgc/heap.h"

/* Reads SPGC_OPTIONS, unless the process has raised privileges. An error names the variable. */
enum spgc_result spgc_options_read_environment(struct spgc_options *options,
                                               struct spgc_error *error);

#endif
