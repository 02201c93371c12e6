/* Lines of the log that name a place in code, if possible with its source line.
 *
 * A separate thread finds the source lines, so that no mutator waits. It ends when all lines are
 * logged, and spgc_stop waits for that. At exit, the remaining lines are logged without source
 * lines. */
#ifndef SPGC_GC_NAMING_PLACED_LINE_H
#define SPGC_GC_NAMING_PLACED_LINE_H

#include <stdbool.h>

#include "gc/naming/code_name.h"

/* For a line about a program that may hang. */
#define SPGC_HANG_ADVICE ": see \"Why does it hang?\" in docs/debugging.md"

struct spgc_placed_line {
  char before[240], after[96]; /* around the place */
  bool has_place;
  struct spgc_code_place place;
  bool is_urgent;    /* also on standard error */
  bool loads_reader; /* libdw may be loaded: nobody holds the loader's locks for long */
};

/* The caller holds no lock. */
void spgc_placed_line_log(const struct spgc_placed_line *line);

/* When the thread has ended. The caller holds no lock. */
void spgc_placed_lines_finish(void);

/* In a forked child, because the parent logs them. Under SPGC_LOCK_PLACED_LINES. */
void spgc_placed_lines_forget(void);

#endif
