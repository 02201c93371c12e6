/* Stack traces: a line per call in progress, innermost first, from the statepoint ids of the managed frames.
 *
 *   [line 3] in f()
 *   [line 9] in script
 *
 * Of a trace of more than 2 * LOX_TRACE_END frames the first and the last LOX_TRACE_END are printed, and between them
 * a line that tells how many are not. */
#ifndef LOX_RUNTIME_TRACE_H
#define LOX_RUNTIME_TRACE_H

#include <stdio.h>

enum { LOX_TRACE_END = 16 };

/* On the thread that runs Lox. */
void lox_trace_print(FILE *file);

#endif
