/* The running stack's state is in the mutator, in spgc_thread, in the chain of protected calls and
 * in the C++ runtime; a suspended stack's is in its struct spgc_fiber. A switch exchanges them.
 *
 * Invariant: a suspended fiber is on one of the mutator's lists, and minor collections walk only
 * the first. Collections move the fibers they walked to another list, because their frames refer to
 * nothing young until they run again. A fiber with more variables than it can note stays.
 *
 * Written by the mutator's thread; lists and results of walks also by collections. */
#ifndef SPGC_GC_MUTATOR_FIBER_H
#define SPGC_GC_MUTATOR_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gc/mutator/handles.h"
#include "spgc/fiber.h"
#include "stackwalk/stack_switch.h"
#include "stackwalk/stack_variables.h"
#include "stackwalk/watermark.h"

struct spgc_mutator;

enum { FIBER_VARIABLES = WATERMARK_VARIABLES / WATERMARK_BARRIERS };

enum fiber_list {
  FIBERS_RESUMED,   /* frames may refer to young objects */
  FIBERS_WRITABLE,  /* only handles and variables, which other code may write to */
  FIBERS_UNRESUMED, /* nothing does */
  FIBER_LISTS,
};

/* Only a suspended one has frames to walk. */
enum fiber_state { FIBER_NEW, FIBER_SUSPENDED, FIBER_RUNNING, FIBER_FINISHED };

/* The C++ runtime's: those being handled, and the number in flight (Itanium C++ ABI: Exception
 * Handling, 2.2.2). */
struct cxx_exceptions {
  void *caught;
  unsigned int uncaught;
};

struct spgc_fiber {
  struct spgc_mutator *mutator; /* constant */
  spgc_fiber_entry entry;       /* constant; NULL for the stack that the thread was attached on */
  void *mapping;                /* constant; NULL if the caller owns the memory */
  size_t mapping_bytes;         /* constant */
  const void *low;              /* constant; NULL if unknown */
  size_t bytes;                 /* constant */
  enum fiber_state state;
  enum fiber_list list; /* valid unless it runs */
  uint64_t frames;      /* in its last walk */
  struct spgc_fiber *next, *previous;

  /* Valid unless it runs. */
  struct left_stack left;
  void *stack_base;
  struct spgc_watermark *watermark; /* NULL unless the stack is deep */
  struct spgc_handle_stack handles;
  uint32_t blocking_calls;
  uintptr_t stack_limit;
  struct protected_call *protected_call;
  struct cxx_exceptions exceptions;
  /* Valid if the frames are not walked. */
  struct stack_variables variables;
  struct variable_run variable_runs[FIBER_VARIABLES];
  void *sanitizer_stack, *sanitizer_thread;
};

struct spgc_fibers {
  struct spgc_fiber own;      /* the thread's */
  struct spgc_fiber *running; /* never NULL */
  struct spgc_fiber *lists[FIBER_LISTS];
  size_t count; /* not released */
};

void spgc_fibers_begin(struct spgc_mutator *mutator);

/* The mutator's thread ends. */
void spgc_fibers_abandon(struct spgc_mutator *mutator);

/* A forked child does not have the mutator's thread. */
void spgc_fibers_forget(struct spgc_mutator *mutator);

/* The mutator's thread is about to suspend the running stack, so that others may walk it. */
void spgc_fibers_prepare_walk(struct spgc_mutator *mutator);

/* Nothing is young; resumed fibers were walked and their variables noted. */
void spgc_fibers_settle(struct spgc_mutator *mutator);

static inline struct spgc_suspended_stack fiber_stack(struct spgc_fiber *fiber) {
  return spgc_stack_left(&fiber->left, fiber->stack_base);
}

#endif
