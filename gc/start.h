/* What spgc_start and spgc_stop do in other files. */
#ifndef SPGC_GC_START_H
#define SPGC_GC_START_H

#include "spgc/heap.h"

/* Reads SPGC_OPTIONS over the program's options, unless the process has raised privileges. An error
 * names the variable. */
enum spgc_result spgc_options_read_environment(struct spgc_options *options,
                                               struct spgc_error *error);

/* The numbers that have the same range in SPGC_OPTIONS and for spgc_start. */
enum spgc_result spgc_options_check_ranges(const struct spgc_options *options,
                                           struct spgc_error *error);

/* Explains faults of known causes, before SIGSEGV has its former effect. Needs the world locked. */
void spgc_fault_start(void);

/* Keeps a handler that the program has put in its place. */
void spgc_fault_stop(void);

/* The summary at the end of the log (docs/tuning.md). Called after the heap's start, with the world
 * locked. */
void spgc_summary_begin(void);

/* Acts once, if the log's level requires it. The world is locked, and not stopped. */
void spgc_summary_end(void);

#endif
