/* Calls that any thread may make: attached, in spgc_call_blocking, or not attached. */
#ifndef SPGC_GC_MUTATOR_ANY_THREAD_H
#define SPGC_GC_MUTATOR_ANY_THREAD_H

#include "gc/mutator/safepoint.h"

/* Why not, or NULL. There may be no heap. */
const char *spgc_any_thread_forbids_waiting(void);

/* Why the calling thread may not stop the world now, as in a pause or a listener, or NULL. */
const char *spgc_any_thread_forbidden(void);

/* Nothing may forbid it. The heap may have been stopped before. */
void spgc_any_thread_run_stopped(spgc_stopped_action action, void *context);

/* Through spgc_call_blocking if the thread is attached. */
void *spgc_any_thread_call_blocking(void *(*function)(void *context), void *context);

#endif
