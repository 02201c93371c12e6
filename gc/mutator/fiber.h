/* The stacks of a mutator: the one it was attached on, and those of its fibers.
 *
 * Each stack has its own state. The running stack's is in the mutator, in spgc_thread, in the chain
 * of protected calls and in the C++ runtime; a suspended stack's is in its struct spgc_fiber. A
 * switch exchanges them.
 *
 * Invariant: a suspended fiber is on one of the mutator's lists. Minor collections walk only the
 * first list. A collection that leaves nothing young moves the fibers it has walked to another
 * list, because their frames hold nothing young until they run again. Fibers with open scoped
 * handles, or with frames whose variables have references, are on a separate list, because others
 * may write to handles and to variables whose addresses they were given
 * (stackwalk/stack_variables.h). A fiber with more variables than it can note stays on the first
 * list.
 *
 * Writers: the mutator's own thread while it runs. With the world stopped, collections also write
 * the lists and the results of walks. */
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

enum { FIBER_VARIABLES = 16 }; /* that a fiber can note */

enum fiber_list {
  FIBERS_RESUMED,   /* frames may refer to young objects */
  FIBERS_WRITABLE,  /* only handles and variables may refer to young objects */
  FIBERS_UNRESUMED, /* nothing refers to young objects */
  FIBER_LISTS,
};

enum fiber_state { FIBER_NEW, FIBER_SUSPENDED, FIBER_RUNNING, FIBER_FINISHED };

/* A thread's data in the C++ runtime: the exceptions being handled, and the number in flight
 * (Itanium C++ ABI: Exception Handling, 2.2.2). */
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
  struct spgc_watermark *watermark; /* made once the stack is known to be deep; or NULL */
  struct spgc_handle_stack handles;
  uint32_t blocking_calls; /* running on the stack */
  uintptr_t stack_limit;
  struct protected_call *protected_call;
  struct cxx_exceptions exceptions;
  uint64_t frames; /* managed frames in the last walk */
  /* Valid on the lists of fibers whose frames are not walked. */
  struct stack_variables variables;
  struct variable_run variable_runs[FIBER_VARIABLES];
  void *sanitizer_stack, *sanitizer_thread;
};

struct spgc_fibers {
  struct spgc_fiber own;      /* the stack that the thread was attached on */
  struct spgc_fiber *running; /* never NULL */
  struct spgc_fiber *lists[FIBER_LISTS];
  size_t count; /* created and not released */
};

void spgc_fibers_begin(struct spgc_mutator *mutator);

/* Releases every fiber when the mutator's thread ends. */
void spgc_fibers_abandon(struct spgc_mutator *mutator);

/* Releases every fiber in a forked child where the mutator's thread does not exist. */
void spgc_fibers_forget(struct spgc_mutator *mutator);

/* Empties the list of resumed fibers, when nothing is young: a collection has updated their frames
 * and noted their variables. */
void spgc_fibers_settle(struct spgc_mutator *mutator);

static inline struct spgc_suspended_stack fiber_stack(struct spgc_fiber *fiber) {
  return spgc_stack_left(&fiber->left, fiber->stack_base);
}

static inline bool fiber_has_frames(const struct spgc_fiber *fiber) {
  return fiber->state == FIBER_SUSPENDED;
}

#endif
