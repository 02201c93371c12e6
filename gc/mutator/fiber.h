/* The stacks of a mutator: the one it was attached on, and those of its fibers.
 *
 * Each stack has state of its own. The state of the running stack lies in the mutator, in
 * spgc_thread and in the chain of protected calls. That of a suspended stack lies in its struct
 * spgc_fiber. A switch exchanges them.
 *
 * Invariant: a suspended fiber is on one of the mutator's lists. Minor collections walk only the
 * first list. A collection that leaves nothing young moves the fibers it has walked to another
 * list, because they hold nothing young until they run again. Fibers with open scoped handles have
 * a list of their own, because any thread may write to the slots of handles.
 *
 * Writers: the mutator's own thread while it runs. With the world stopped, collections also write
 * the lists and the results of walks.
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
  FIBERS_WITH_HANDLES, /* only handles may refer to young objects */
  FIBERS_UNRESUMED,    /* nothing refers to young objects */
  FIBER_LISTS,
};

enum fiber_state { FIBER_NEW, FIBER_SUSPENDED, FIBER_RUNNING, FIBER_FINISHED };

struct spgc_fiber {
  struct spgc_mutator *mutator; /* constant */
  spgc_fiber_entry entry;       /* constant; NULL: the stack that the thread was attached on */
  void *mapping;                /* constant; NULL: the caller owns the stack's memory */
  size_t mapping_bytes;         /* constant */
  const void *low;              /* constant: the stack's lowest address; NULL if unknown */
  size_t bytes;                 /* constant: its size */
  enum fiber_state state;
  enum fiber_list list; /* valid unless it runs */
  struct spgc_fiber *next, *previous;

  /* Valid while the fiber does not run. */
  struct left_stack left;
  void *stack_base;
  struct spgc_watermark *watermark; /* created when the stack is found to be deep; or NULL */
  struct spgc_handle_stack handles;
  uint32_t blocking_calls; /* under way on the stack */
  uintptr_t stack_limit;
  struct protected_call *protected_call;
  uint64_t frames; /* managed frames that the last walk met */
  void *sanitizer_stack, *sanitizer_thread;
};

/* The fibers of a mutator. */
struct spgc_fibers {
  struct spgc_fiber own;      /* of the stack that the thread was attached on */
  struct spgc_fiber *running; /* never NULL */
  struct spgc_fiber *lists[FIBER_LISTS];
  size_t count; /* created and not released */
};

/* Initialises the fibers of a mutator that runs on its own stack. */
void spgc_fibers_begin(struct spgc_mutator *mutator);

/* Releases every fiber, because the mutator's thread ends. It has no managed frames any more. */
void spgc_fibers_abandon(struct spgc_mutator *mutator);

/* Releases every fiber in a forked child where the mutator's thread does not exist. */
void spgc_fibers_forget(struct spgc_mutator *mutator);

/* Takes the fibers off the list of resumed ones. A collection has updated their frames, and nothing
 * is young, so they need no walk until they run again. */
void spgc_fibers_settle(struct spgc_mutator *mutator);

/* The suspended stack of a fiber that has frames. */
static inline struct spgc_suspended_stack fiber_stack(struct spgc_fiber *fiber) {
  return spgc_stack_left(&fiber->left, fiber->stack_base);
}

static inline bool fiber_has_frames(const struct spgc_fiber *fiber) {
  return fiber->state == FIBER_SUSPENDED;
}

#endif
