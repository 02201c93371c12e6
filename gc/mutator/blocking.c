/* Mutators outside the collector's world, and back in it. */
#include "gc/mutator/blocking.h"

#include "gc/mutator/misuse.h"
#include "gc/state/runtime.h"
#include "gc/mutator/world.h"
#include "heap/card.h"

/* A call under way. */
struct excursion {
  struct spgc_mutator *mutator;
  const struct spgc_suspended_stack *stack; /* of the innermost spgc_call_blocking */
  void *(*function)(void *argument);
  void *argument;
};

/* The calling thread's excursion from its innermost spgc_call_blocking, or NULL. */
static _Thread_local struct excursion *outside;

static void leave_world(struct excursion *excursion) {
  outside = excursion;
  spgc_mutator_close_window(excursion->mutator);
  spgc_thread.cards = 0; /* spgc_store looks */
  spgc_mutator_current = NULL;
  spgc_world_arrive(excursion->mutator, excursion->stack);
}

static void enter_world(struct excursion *excursion) {
  outside = NULL;
  spgc_world_go_on(excursion->mutator);
  spgc_mutator_current = excursion->mutator;
  spgc_thread.cards = spgc_cards_biased(&spgc_runtime.heap);
  spgc_mutator_open_window(excursion->mutator);
}

struct excursion *spgc_blocking_region(void) {
  return outside;
}

void spgc_blocking_end(void) {
  if (outside != NULL)
    enter_world(outside);
}

void spgc_blocking_go_back(struct excursion *region) {
  leave_world(region);
}

/* Also when the function is left by an exception, or because the thread ends. */
static void come_back(struct excursion **excursion) {
  enter_world(*excursion);
  (*excursion)->mutator->blocking_calls--;
}

static void *call_outside(const struct spgc_suspended_stack *stack, void *context) {
  struct excursion *excursion = context;
  excursion->stack = stack;
  excursion->mutator->blocking_calls++;
  leave_world(excursion);
  __attribute__((cleanup(come_back))) struct excursion *left = excursion;
  return left->function(left->argument);
}

void *spgc_call_blocking(void *(*function)(void *argument), void *argument) {
  struct spgc_mutator *self = spgc_caller();
  spgc_require_use(function != NULL, "no function is given");
  spgc_require_no_walk(__func__);
  struct excursion excursion = {.mutator = self, .function = function, .argument = argument};
  return spgc_stack_suspend(self->stack_base, call_outside, &excursion);
}

static void go_back(struct excursion **excursion) {
  leave_world(*excursion);
}

void *spgc_call_managed(void *(*function)(void *argument), void *argument) {
  __attribute__((cleanup(go_back))) struct excursion *excursion = outside;
  spgc_require_use(function != NULL, "no function is given");
  spgc_require_use(excursion != NULL, "spgc_call_managed outside spgc_call_blocking");
  spgc_require_no_walk(__func__);
  enter_world(excursion);
  return function(argument);
}
