/* Safepoints, and what stops the world there. */
#ifndef SPGC_GC_MUTATOR_SAFEPOINT_H
#define SPGC_GC_MUTATOR_SAFEPOINT_H

#include "gc/mutator/world.h"
#include "spgc/events.h"
#include "spgc/heap.h"

typedef void (*spgc_stopped_action)(struct spgc_stopped_world world, void *context);

/* A safepoint. False if another thread stopped the world instead. */
bool spgc_safepoint_run(spgc_stopped_action action, void *context);

/* A safepoint, for a mutator that is asked to stop. */
void spgc_safepoint_stop(struct spgc_mutator *self);

/* ---- Calls for any thread: attached, in spgc_call_blocking, or not attached ---- */

/* Why not, or NULL. There may be no heap. */
const char *spgc_any_thread_forbids_waiting(void);

/* Why the caller may not stop the world now, or NULL. */
const char *spgc_any_thread_forbidden(void);

/* The heap may have stopped before. */
void spgc_any_thread_run_stopped(spgc_stopped_action action, void *context);

/* Uses spgc_call_blocking if the thread is attached. */
void *spgc_any_thread_call_blocking(void *(*function)(void *context), void *context);

/* ---- Collections ---- */

/* May wait for another thread's collection instead. A safepoint. */
void spgc_request_collection(enum spgc_collection kind, enum spgc_reason reason);

/* Defined in gc/plan/collect.c, above this folder. */
void spgc_collect_stopped(struct spgc_stopped_world world, enum spgc_collection kind,
                          enum spgc_reason reason);

#endif
