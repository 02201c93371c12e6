/* The stacks of a mutator: the one it was attached on, and those of its fibers.
 *
 * What differs from stack to stack is kept in the mutator, in spgc_thread and in the chain of
 * protected calls for the one that runs, and in struct spgc_fiber for those that are suspended.
 * Switching exchanges them.
 *
 * A suspended fiber is in one of the mutator's lists. Minor collections walk the first alone: a
 * fiber that was walked with nothing young left holds nothing young until it runs again. Fibers
 * that have open scoped handles are kept apart, because anyone may write to the slots of handles.
 *
 * Who writes, and when: the mutator's own thread while it runs; which list a suspended fiber is in,
 * and what walks leave in it, also the collection, with the world stopped.
 */
#ifndef SPGC_GC_MUTATOR_FIBER_H
#define SPGC_GC_MUTATOR_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gc/mutator/handles.h"
#include "spgc/fiber.h"
#include "stackwalk/stack_switch.h"

struct spgc_mutator;

enum fiber_list {
  FIBERS_RESUMED,      /* frames may refer to young objects */
  FIBERS_WITH_HANDLES, /* frames do not; handles may */
  FIBERS_UNRESUMED,    /* nothing does */
  FIBER_LISTS,
};

enum fiber_state { FIBER_NEW, FIBER_SUSPENDED, FIBER_RUNNING, FIBER_FINISHED };

struct spgc_fiber {
  struct spgc_mutator *mutator; /* constant */
  spgc_fiber_entry entry;       /* constant; NULL: the stack that the thread was attached on */
  void *mapping;                /* constant; NULL: the stack's memory is the caller's */
  size_t mapping_bytes;         /* constant */
  const void *low; /* constant: the stack's lowest address; NULL when that is not known */
  size_t bytes;    /* constant: its size */
  enum fiber_state state;
  enum fiber_list list; /* where it is unless it runs */
  struct spgc_fiber *next, *previous;

  /* While it does not run. */
  struct left_stack left;
  void *stack_base;
  struct spgc_watermark *watermark; /* made when the stack is found to be deep; NULL: none */
  struct spgc_handle_stack handles;
  uint32_t blocking_calls; /* under way on the stack */
  uintptr_t stack_limit;
  struct protected_call *protected_call;
  uint64_t frames; /* managed ones that the last walk met */
  void *sanitizer_stack, *sanitizer_thread;
};

/* A mutator's. */
struct spgc_fibers {
  struct spgc_fiber own;      /* of the stack that the thread was attached on */
  struct spgc_fiber *running; /* never NULL */
  struct spgc_fiber *lists[FIBER_LISTS];
  size_t count; /* created and not released */
};

/* The mutator runs on its own stack. */
void spgc_fibers_begin(struct spgc_mutator *mutator);

/* The mutator's thread ends, and no frame of it is left that runs managed code: releases every
 * fiber. */
void spgc_fibers_abandon(struct spgc_mutator *mutator);

/* The thread does not exist in this process, which was forked by another: releases every fiber. */
void spgc_fibers_forget(struct spgc_mutator *mutator);

/* The collection has moved what the frames of resumed fibers refer to, and nothing young is left:
 * until they run again they need no walk. */
void spgc_fibers_settle(struct spgc_mutator *mutator);

/* The suspended frames of a fiber that has some. */
static inline struct spgc_suspended_stack fiber_stack(struct spgc_fiber *fiber) {
  return spgc_stack_left(&fiber->left, fiber->stack_base);
}

static inline bool fiber_has_frames(const struct spgc_fiber *fiber) {
  return fiber->state == FIBER_SUSPENDED;
}

#endif
