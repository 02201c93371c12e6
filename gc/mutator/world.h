/* The world: all mutators, and how they are stopped.
 *
 * The thread that stops the world sets a bit in the poll word of each other mutator, and stops each
 * one as soon as it is at a safepoint. A mutator reaches a safepoint by itself: at a poll, in the
 * slow path of an allocation, or when it enters spgc_call_blocking.
 *
 * Invariant: a stop and an arrival cannot miss each other. The mutator writes `state` and then
 * reads `poll`; the stopping thread writes `poll` and then reads `state`. All four accesses are
 * sequentially consistent, so at least one side sees the other's write.
 *
 * Each thread that waited for the end of a stop, to continue or to attach, continues before the
 * next stop begins. No thread waits at a safepoint while it holds a lock (gc/state/locks.h).
 *
 * Invariant: a mutator waits for the end of a stop only at a safepoint. The stopper waits for each
 * mutator that runs, so one that waited elsewhere would wait for itself; so would one that waits
 * for a thread that stops the world. */
#ifndef SPGC_GC_MUTATOR_WORLD_H
#define SPGC_GC_MUTATOR_WORLD_H

#include "gc/mutator/mutator.h"

/* The witness that every mutator is at a safepoint. */
struct spgc_stopped_world {
  struct spgc_mutator *mutators; /* all, linked by `next` */
  uint64_t asked_ns;             /* of the request, by CLOCK_MONOTONIC */
  uint64_t stopped_ns;           /* when the last mutator was stopped */
  uint64_t stopper;              /* number of the thread that stopped it, or 0 */
  struct spgc_mutator *last;     /* the last to arrive on request, or NULL */
  uint64_t last_number;          /* its number, or 0 */
};

/* Serialises start, stop, attach and detach. A mutator must not hold it for long. */
void spgc_world_lock(void);
void spgc_world_unlock(void);

/* The world is locked. */
size_t spgc_world_population(void);

/* World and heap are locked. */
struct spgc_uncounted spgc_world_uncounted(void);

/* As spgc_samplers_begin has set them. */
void spgc_world_change_samplers(struct spgc_stopped_world world);

/* Waits for the end of a stop. The world is locked, and is unlocked during the wait. The calling
 * thread has no mutator, or its mutator is at a safepoint; anything else is fatal. */
void spgc_world_wait(void);

/* Locks the world while it is not stopped. False if a stop lasts longer than a second: a process
 * that exits must not wait for ever. */
bool spgc_world_lock_at_exit(void);

/* Begins to number threads. The world is locked, and no thread is attached. */
void spgc_world_begin(void);

/* Adds and numbers the calling thread's mutator. The world is locked and not being stopped. */
void spgc_world_add(struct spgc_mutator *mutator);

/* Locks the world when it is not being stopped. Until then the calling mutator, which was not
 * called by managed code, may be stopped. */
void spgc_world_lock_running(struct spgc_mutator *self);

/* The world is locked and not being stopped. */
void spgc_world_remove(struct spgc_mutator *mutator);

/* Stops the world. `self` stays at a safepoint until spgc_world_resume; it is NULL if the thread
 * has no mutator, or one that is stopped like the others. False if another thread already stops it;
 * the calling mutator must then reach a safepoint. */
bool spgc_world_stop(struct spgc_mutator *self, struct spgc_stopped_world *world);
void spgc_world_resume(struct spgc_stopped_world world);

/* Stops the world for a thread that forks. `running` is the calling thread's mutator, which is at
 * safepoints while it waits; or NULL. */
void spgc_world_stop_to_fork(struct spgc_mutator *running, struct spgc_stopped_world *world);

/* Stops a world without threads: nobody attaches, forks or stops it otherwise until it is resumed.
 * No event reports it. The world is locked for both calls; it may be unlocked between them. */
void spgc_world_stop_empty(void);
void spgc_world_resume_empty(void);

bool spgc_world_is_stopped_here(void);

/* In a forked child: removes all mutators except `kept` (may be NULL), and returns them, linked by
 * `next`. The world is stopped and locked. */
struct spgc_mutator *spgc_world_forget_all_but(struct spgc_stopped_world *world,
                                               struct spgc_mutator *kept);

/* Its stack may be walked from now on. */
void spgc_world_arrive(struct spgc_mutator *self, const struct spgc_suspended_stack *stack);

/* After the end of a stop. */
void spgc_world_go_on(struct spgc_mutator *self);

/* Both, for spgc_stack_suspend: the calling mutator may be stopped. */
void *spgc_world_pass(const struct spgc_suspended_stack *stack, void *self);

#endif
