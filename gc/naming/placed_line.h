/* Lines of the log that name a place in code. A thread finds source lines, so that no mutator
 * waits; spgc_stop waits for it. An exit logs the rest without source lines. */
#ifndef SPGC_GC_NAMING_PLACED_LINE_H
#define SPGC_GC_NAMING_PLACED_LINE_H

#include <stdbool.h>

#include "gc/naming/code_name.h"

#define SPGC_HANG_ADVICE ": see \"Why does it hang?\" in docs/debugging.md"

struct spgc_placed_line {
  char before[240], after[96]; /* around the place */
  bool has_place;
  struct spgc_code_place place;
  bool is_urgent;    /* also on standard error */
  bool loads_reader; /* may load libdw: nobody holds the loader's locks for long */
};

/* The caller holds no lock. */
void spgc_placed_line_log(const struct spgc_placed_line *line);

/* Returns when the thread has ended. The caller holds no lock. */
void spgc_placed_lines_finish(void);

/* Called in a forked child, under SPGC_LOCK_PLACED_LINES: the parent logs them. */
void spgc_placed_lines_forget(void);

#endif
