/* The stopper sets a bit in the poll word of each other mutator, and stops it once it is at a
 * safepoint: at a poll, in the slow path of an allocation, or in spgc_call_blocking.
 *
 * Invariant: a stop and an arrival cannot miss each other. The mutator writes `state`, then reads
 * `poll`; the stopper writes `poll`, then reads `state`; all four are sequentially consistent.
 *
 * Invariant: a mutator waits for a stopper only at a safepoint and without a lock
 * (gc/state/locks.h), because the stopper waits for each running mutator. */
#ifndef SPGC_GC_MUTATOR_WORLD_H
#define SPGC_GC_MUTATOR_WORLD_H

#include "gc/mutator/mutator.h"

struct spgc_stopped_world {
  struct spgc_mutator *mutators;
  uint64_t asked_ns;         /* CLOCK_MONOTONIC */
  uint64_t stopped_ns;       /* when the last mutator was stopped */
  uint64_t stopper;          /* mutator number, or 0 */
  struct spgc_mutator *last; /* last to arrive on request, or NULL */
  uint64_t last_number;      /* or 0 */
};

/* The world is locked. */
size_t spgc_world_population(void);

/* World and heap are locked. */
struct spgc_uncounted spgc_world_uncounted(void);

/* Applies what spgc_samplers_begin has set. */
void spgc_world_change_samplers(struct spgc_stopped_world world);

/* After a collection. */
void spgc_world_refill_reserves(struct spgc_stopped_world world, size_t freed_blocks);

/* Waits for the end of a stop, with the world unlocked. Fatal if the caller's mutator is not at a
 * safepoint. */
void spgc_world_wait(void);

/* Locks the world unless it is stopped. False if a stop lasts a second: an exit must not wait for
 * ever. */
bool spgc_world_lock_at_exit(void);

/* The world is locked and not being stopped. */
void spgc_world_add(struct spgc_mutator *mutator);

/* Locks the world when it is not being stopped. Until then `self` may be stopped; managed code did
 * not call it. */
void spgc_world_lock_running(struct spgc_mutator *self);

/* The world is locked and not being stopped. */
void spgc_world_remove(struct spgc_mutator *mutator);

/* `self` stays at a safepoint until spgc_world_resume; NULL without a running mutator. False if
 * another thread stops the world: the caller must then reach a safepoint. */
bool spgc_world_stop(struct spgc_mutator *self, struct spgc_stopped_world *world);
void spgc_world_resume(struct spgc_stopped_world world);

/* `running` is the calling thread's mutator, at safepoints while it waits, or NULL. */
void spgc_world_stop_to_fork(struct spgc_mutator *running, struct spgc_stopped_world *world);

/* Stops a world without threads: nobody attaches, forks or stops it until it is resumed. Without
 * events. The world is locked for both calls. */
void spgc_world_stop_empty(void);
void spgc_world_resume_empty(void);

bool spgc_world_is_stopped_here(void);

/* Later forks stop the world (gc/mutator/fork.c). False if the system refuses. The caller holds no
 * lock: before glibc 2.36, fork holds a lock that registering takes while its handlers wait for
 * ours. */
bool spgc_fork_register_handlers(void);

/* Called in a forked child, with the world stopped and locked. Returns the others, linked by
 * `next`. */
struct spgc_mutator *spgc_world_forget_all_but(struct spgc_stopped_world *world,
                                               struct spgc_mutator *kept);

/* Its stack may be walked afterwards. */
void spgc_world_arrive(struct spgc_mutator *self, const struct spgc_suspended_stack *stack);

void spgc_world_go_on(struct spgc_mutator *self);

/* Arrives and goes on, for spgc_stack_suspend. */
void *spgc_world_pass(const struct spgc_suspended_stack *stack, void *self);

#endif
