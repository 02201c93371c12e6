/* The trace that the option `trace` asks for (docs/observe.md).
 *
 *   threads --(events)--> buffer --(the writer's thread)--> timeline --> file
 *
 * Threads only put events into a buffer, also in pauses. A thread of the library's own writes them,
 * all the time. It takes no lock of the collector, so that anyone may wait for it, and it shares no
 * descriptor with the program, which may close any of its own and use their numbers again.
 *
 * A forked child has no such thread. If the file's name contains the number of the process, the
 * child begins a trace of its own after its first collection; otherwise it has none, because it
 * would replace its parent's.
 */
#ifndef SPGC_OBSERVE_TIMELINE_TRACE_H
#define SPGC_OBSERVE_TIMELINE_TRACE_H

#include "spgc/events.h"

/* Hears each event while there is a trace. */
extern struct spgc_listener spgc_trace_listener;

/* Begins the trace. Returns false, and says in the log why, if it cannot be written. The world is
 * locked. */
bool spgc_trace_start(const char *path);

/* Ends the trace, whose listener hears nothing new. Returns when the file is complete. The world is
 * locked, and no thread is attached. */
void spgc_trace_stop(void);

#endif
