/* Stack traces: a line per call in progress, innermost first, from the statepoint ids of the
 * managed frames.
 *
 *   [line 3] in f()
 *   [line 9] in script
 *
 * A trace of more than 2 * LOX_TRACE_END frames shows the first and the last LOX_TRACE_END, and
 * between them a line with the number of frames left out. A trace that is made while a handler
 * waits ends after LOX_TRACE_SEEN frames, because a program that throws at each level of a deep
 * recursion would otherwise look at all frames at each level. Its last line then says that there
 * are more.
 */
#ifndef LOX_RUNTIME_TRACE_H
#define LOX_RUNTIME_TRACE_H

#include <stdbool.h>

#include "frontend-demo/runtime/abi.h"
#include "frontend-demo/runtime/print.h"

enum { LOX_TRACE_END = 16, LOX_TRACE_SEEN = 128 };

/* Writes no newline at the end. False when no Lox code is active: nothing was written. Not a
 * safepoint. */
bool lox_trace_write(struct lox_writer *writer);

/* The trace of the thread that runs Lox, as a string; empty when no Lox code is active. A
 * safepoint. */
struct spgc_ref lox_trace_make(void);

#endif
