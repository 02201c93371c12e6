/* The trace of the option `trace` (docs/observe.md).
 *
 *   threads --(events)--> buffer --(the writer's thread)--> timeline --> file
 *
 * Threads, also in pauses, only put events into a buffer. The writer takes no lock of the
 * collector, so any thread may wait for it. It shares no descriptor with the program, which may
 * close its own and reuse their numbers.
 *
 * A forked child begins its own trace after its first collection. */
#ifndef SPGC_OBSERVE_TIMELINE_TRACE_H
#define SPGC_OBSERVE_TIMELINE_TRACE_H

#include "spgc/events.h"

extern struct spgc_listener spgc_trace_listener;

/* False, with a message in the log, if the trace cannot be written. The world is locked. */
bool spgc_trace_start(const char *path);

/* After the trace's listener was removed. Returns when the file is complete. The world is locked,
 * and no thread is attached. */
void spgc_trace_stop(void);

#endif
