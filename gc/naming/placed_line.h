/* Lines of the log that name a place in code, with its source line if that can be found.
 *
 * A separate thread finds the source lines, so that no mutator waits. It shares no descriptor with
 * the program. It ends when all lines are logged, and spgc_stop waits for that. When the process
 * exits, the remaining lines are logged without source lines. */
#ifndef SPGC_GC_NAMING_PLACED_LINE_H
#define SPGC_GC_NAMING_PLACED_LINE_H

#include <stdbool.h>

#include "gc/naming/code_name.h"

/* The end of a line about a program that may hang. */
#define SPGC_HANG_ADVICE ": see \"Why does it hang?\" in docs/debugging.md"

struct spgc_placed_line {
  char before[240], after[96]; /* the words around the place */
  bool has_place;
  struct spgc_code_place place;
  bool is_urgent;    /* it also goes to standard error */
  bool loads_reader; /* libdw may be loaded for this line, if the log has not loaded it: nobody
                        holds the loader's locks for long */
};

/* The caller holds no lock. */
void spgc_placed_line_log(const struct spgc_placed_line *line);

/* Returns when the thread has ended. The caller holds no lock. */
void spgc_placed_lines_finish(void);

/* In the child of a fork, because the parent logs the lines. Under SPGC_LOCK_PLACED_LINES. */
void spgc_placed_lines_forget(void);

#endif
