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

/* The witness that every mutator is at a safepoint, for functions that require it. */
struct spgc_stopped_world {
  struct spgc_mutator *mutators; /* all, linked by `next` */
  uint64_t asked_ns;             /* of the request, by CLOCK_MONOTONIC */
  uint64_t stopped_ns;           /* when the last mutator was stopped */
  uint64_t stopper;              /* number of the thread that stopped it; 0: not attached */
  struct spgc_mutator
      *last;            /* the last mutator to arrive on request; NULL: all were at safepoints */
  uint64_t last_number; /* its number, or 0 */
};

/* Serialises start, stop, attach and detach. A mutator must not hold it for long. */
void spgc_world_lock(void);
void spgc_world_unlock(void);

/* Attached threads. The world is locked. */
size_t spgc_world_population(void);

/* Allocated by all mutators but not yet in the statistics. World and heap are locked. */
struct spgc_uncounted spgc_world_uncounted(void);

/* Gives all mutators new samplers, as spgc_samplers_begin has set them. */
void spgc_world_change_samplers(struct spgc_stopped_world world);

/* Waits for the end of a stop. The world is locked, and is unlocked during the wait. On return
 * nobody stops it until the caller unlocks it. The calling thread has no mutator, or its mutator is
 * at a safepoint; anything else is fatal. */
void spgc_world_wait(void);

/* Locks the world while it is not stopped. False, without the lock, if a stop lasts longer than a
 * second. For a process that exits, which must not wait for threads for ever. */
bool spgc_world_lock_at_exit(void);

/* Begins to number threads. The world is locked, and no thread is attached. */
void spgc_world_begin(void);

/* Adds and numbers the calling thread's mutator. The world is locked and not being stopped. */
void spgc_world_add(struct spgc_mutator *mutator);

/* Locks the world when it is not being stopped. Until then the calling mutator may be stopped; it
 * must not have been called by managed code. */
void spgc_world_lock_running(struct spgc_mutator *self);

/* The world is locked and not being stopped. */
void spgc_world_remove(struct spgc_mutator *mutator);

/* Stops the world. `self` stays at a safepoint until spgc_world_resume; it is NULL if the thread
 * has no mutator, or one that is stopped like the others. False if another thread already stops the
 * world; the calling mutator must then reach a safepoint. */
bool spgc_world_stop(struct spgc_mutator *self, struct spgc_stopped_world *world);
void spgc_world_resume(struct spgc_stopped_world world);

/* Stops the world for a thread that forks. No collection runs until spgc_world_resume. `running` is
 * the calling thread's mutator, which is at safepoints while it waits; it is NULL if the thread has
 * none, or is in spgc_call_blocking. */
void spgc_world_stop_to_fork(struct spgc_mutator *running, struct spgc_stopped_world *world);

/* Stops a world without threads: nobody attaches, forks or stops it otherwise until it is resumed.
 * That is not a pause, and no event reports it. The caller is not attached. The world is locked for
 * both calls and not being stopped; it may be unlocked between them. */
void spgc_world_stop_empty(void);
void spgc_world_resume_empty(void);

/* Whether the calling thread has stopped the world. */
bool spgc_world_is_stopped_here(void);

/* In a forked child: removes all mutators except `kept` (may be NULL) and forgets all waiting
 * threads. Returns the removed mutators, linked by `next`. The world is stopped and locked. */
struct spgc_mutator *spgc_world_forget_all_but(struct spgc_stopped_world *world,
                                               struct spgc_mutator *kept);

/* Puts the calling mutator at a safepoint: its stack may be walked from now on. */
void spgc_world_arrive(struct spgc_mutator *self, const struct spgc_suspended_stack *stack);

/* Lets the calling mutator run again, after the end of a stop. */
void spgc_world_go_on(struct spgc_mutator *self);

/* Both, for spgc_stack_suspend: the calling mutator may be stopped. */
void *spgc_world_pass(const struct spgc_suspended_stack *stack, void *self);

#endif
