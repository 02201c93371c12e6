/* Calls that any thread may make: attached, in spgc_call_blocking, or not attached. */
#ifndef SPGC_GC_MUTATOR_ANY_THREAD_H
#define SPGC_GC_MUTATOR_ANY_THREAD_H

#include "gc/mutator/safepoint.h"

/* Why the calling thread may not wait for one that stops the world. NULL: it may, and need not have
 * a heap. */
const char *spgc_any_thread_forbids_waiting(void);

/* Why the calling thread may not stop the world now, as in a pause or a listener. NULL: it may. */
const char *spgc_any_thread_forbidden(void);

/* The heap may have been stopped before. Nothing may forbid it. */
void spgc_any_thread_run_stopped(spgc_stopped_action action, void *context);

/* Through spgc_call_blocking if the thread is attached. */
void *spgc_any_thread_call_blocking(void *(*function)(void *context), void *context);

#endif
