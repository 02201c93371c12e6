/* Calls for any thread: attached, in spgc_call_blocking, or not attached. */
#ifndef SPGC_GC_MUTATOR_ANY_THREAD_H
#define SPGC_GC_MUTATOR_ANY_THREAD_H

#include "gc/mutator/safepoint.h"

/* The reason, or NULL. There may be no heap. */
const char *spgc_any_thread_forbids_waiting(void);

/* Why the calling thread may not stop the world now (a pause, a listener), or NULL. */
const char *spgc_any_thread_forbidden(void);

/* The heap may have stopped before. */
void spgc_any_thread_run_stopped(spgc_stopped_action action, void *context);

/* Uses spgc_call_blocking if the thread is attached. */
void *spgc_any_thread_call_blocking(void *(*function)(void *context), void *context);

#endif
