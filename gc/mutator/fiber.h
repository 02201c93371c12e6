/* The stacks of a mutator: the one it was attached on, and those of its fibers.
 *
 * Each stack has state of its own. The state of the running stack lies in the mutator, in
 * spgc_thread, in the chain of protected calls and in the C++ runtime. That of a suspended stack
 * lies in its struct spgc_fiber. A switch exchanges them.
 *
 * Invariant: a suspended fiber is on one of the mutator's lists. Minor collections walk only the
 * first list. A collection that leaves nothing young moves the fibers it has walked to another
 * list, because their frames hold nothing young until they run again. Fibers with open scoped
 * handles, and those whose frames have variables with references, have a list of their own, because
 * others may write to the slots of handles and to variables whose addresses they were given
 * (stackwalk/stack_variables.h). A fiber with more variables than it can note stays on the first
 * list.
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
#include "stackwalk/stack_variables.h"

struct spgc_mutator;

enum { FIBER_VARIABLES = 16 }; /* runs that a fiber can note */

enum fiber_list {
  FIBERS_RESUMED,   /* frames may refer to young objects */
  FIBERS_WRITABLE,  /* only handles and variables may refer to young objects */
  FIBERS_UNRESUMED, /* nothing refers to young objects */
  FIBER_LISTS,
};

enum fiber_state { FIBER_NEW, FIBER_SUSPENDED, FIBER_RUNNING, FIBER_FINISHED };

/* What the C++ runtime keeps of a thread: the exceptions that are handled on the stack, linked from
 * the innermost one, and how many are on their way (Itanium C++ ABI: Exception Handling, 2.2.2). */
struct cxx_exceptions {
  void *caught;
  unsigned int uncaught;
};

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
  uint32_t blocking_calls; /* in progress on the stack */
  uintptr_t stack_limit;
  struct protected_call *protected_call;
  struct cxx_exceptions exceptions;
  uint64_t frames; /* managed frames that the last walk met */
  /* Of all frames. Valid on the lists of fibers whose frames are not walked. */
  struct stack_variables variables;
  struct variable_run variable_runs[FIBER_VARIABLES];
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

/* Takes the fibers off the list of resumed ones. A collection has updated their frames and noted
 * their variables, and nothing is young, so they need no walk until they run again. */
void spgc_fibers_settle(struct spgc_mutator *mutator);

/* The suspended stack of a fiber that has frames. */
static inline struct spgc_suspended_stack fiber_stack(struct spgc_fiber *fiber) {
  return spgc_stack_left(&fiber->left, fiber->stack_base);
}

static inline bool fiber_has_frames(const struct spgc_fiber *fiber) {
  return fiber->state == FIBER_SUSPENDED;
}

#endif
