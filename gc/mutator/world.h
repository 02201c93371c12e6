/* The world: all mutators, and stopping them.
 *
 * Who stops the world asks each other mutator by its poll word, and holds it once it is at a
 * safepoint. A mutator comes to one by itself: at a poll, in an allocation's slow path, or because
 * it enters spgc_call_blocking. The two sides meet in two words of the mutator, sequentially
 * consistent: it writes `state` and then reads `poll`, the stopping thread writes `poll` and then
 * reads `state`; so one of them sees the other.
 *
 * Each thread that waited for the end of a stop, to go on or to attach, goes on before the next one
 * begins.
 *
 * Nobody waits at a safepoint with a lock (gc/state/locks.h).
 */
#ifndef SPGC_GC_MUTATOR_WORLD_H
#define SPGC_GC_MUTATOR_WORLD_H

#include "gc/mutator/mutator.h"

/* Witness that every mutator is at a safepoint: what needs that takes one. */
struct spgc_stopped_world {
  struct spgc_mutator *mutators; /* all, linked by `next` */
  uint64_t asked_ns;             /* when the stop was asked for, by CLOCK_MONOTONIC */
  uint64_t stopped_ns;           /* when the last mutator was held */
  struct spgc_mutator
      *last; /* that came because it was asked; NULL: all were at safepoints already */
};

/* Serialises start, stop, attach and detach. Mutators must not hold it for long. */
void spgc_world_lock(void);
void spgc_world_unlock(void);

/* Attached threads. The world is locked. */
size_t spgc_world_population(void);

/* Bytes allocated in all areas. World and heap are locked. */
size_t spgc_world_tlab_bytes(const struct spgc_heap *heap);

/* The world is locked, and is again when this returns: nobody stops it then as long as it is. */
void spgc_world_wait(void);

/* The world is locked and not being stopped; a mutator is added by its own thread. */
void spgc_world_add(struct spgc_mutator *mutator);

/* Locks the world when it is not being stopped; before that the calling mutator, which no managed
 * code has called, may be held. */
void spgc_world_lock_running(struct spgc_mutator *self);

/* The world is locked and not being stopped. */
void spgc_world_remove(struct spgc_mutator *mutator);

/* False when another thread stops the world already: the mutator must come to a safepoint. `self`
 * stays at one until spgc_world_resume. */
bool spgc_world_stop(struct spgc_mutator *self, struct spgc_stopped_world *world);
void spgc_world_resume(struct spgc_stopped_world world);

/* Stops the world for a thread that forks; until spgc_world_resume nobody collects. `running` is
 * the calling thread's mutator, which comes to safepoints while it has to wait; NULL when the
 * thread has none, or is in spgc_call_blocking.
 */
void spgc_world_stop_to_fork(struct spgc_mutator *running, struct spgc_stopped_world *world);

/* In the child: there are no other mutators than `kept` (may be NULL), and no thread waits. Answers
 * those that there were, linked by `next`. The world is stopped and locked. */
struct spgc_mutator *spgc_world_forget_all_but(struct spgc_stopped_world *world,
                                               struct spgc_mutator *kept);

/* The calling mutator's stack may be walked from now on. */
void spgc_world_arrive(struct spgc_mutator *self, const struct spgc_suspended_stack *stack);

/* The opposite: waits for the end of a stop. */
void spgc_world_go_on(struct spgc_mutator *self);

#endif
