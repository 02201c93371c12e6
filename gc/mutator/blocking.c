#include "gc/events/events.h"
#include "gc/mutator/misuse.h"
#include "gc/mutator/world.h"
#include "gc/state/runtime.h"
#include "heap/remembered/tables.h"
#include "support/clock.h"

struct blocking_region {
  struct spgc_mutator *mutator;
  const struct spgc_suspended_stack *stack;
  void *(*function)(void *argument);
  void *argument;
  uint64_t begin_ns; /* start of blocking; 0 if no listener hears of it */
};

void spgc_blocking_go_back(struct blocking_region *blocking_region) {
  blocking_region->mutator->blocking_region = blocking_region;
  blocking_region->begin_ns = spgc_hears_blocking() ? spgc_clock_ns() : 0;
  spgc_thread.limit = 0; /* allocations take the slow path */
  spgc_thread.cards = 0; /* spgc_store checks it */
  spgc_mutator_current = NULL;
  spgc_world_arrive(blocking_region->mutator, blocking_region->stack);
}

void spgc_blocking_end(struct blocking_region *blocking_region) {
  blocking_region->mutator->blocking_region = NULL;
  spgc_world_go_on(blocking_region->mutator);
  spgc_mutator_current = blocking_region->mutator;
  spgc_thread.cards = spgc_cards_biased(&spgc_runtime.heap);
  spgc_tlab_raise_limit(&blocking_region->mutator->tlab);
  if (blocking_region->begin_ns != 0)
    SPGC_TELL(blocking, spgc_blocking_event, .thread = blocking_region->mutator->number,
              .begin_ns = blocking_region->begin_ns, .end_ns = spgc_clock_ns());
}

struct blocking_region *spgc_blocking_region(void) {
  return spgc_mutator_attached != NULL ? spgc_mutator_attached->blocking_region : NULL;
}

/* Runs also if an exception leaves the function, or the thread ends in it. */
static void come_back(struct blocking_region **blocking_region) {
  spgc_blocking_end(*blocking_region);
  (*blocking_region)->mutator->blocking_calls--;
}

static void *call_in_region(const struct spgc_suspended_stack *stack, void *context) {
  struct blocking_region *blocking_region = context;
  blocking_region->stack = stack;
  blocking_region->mutator->blocking_calls++;
  spgc_blocking_go_back(blocking_region);
  __attribute__((cleanup(come_back))) struct blocking_region *left = blocking_region;
  return left->function(left->argument);
}

void *spgc_call_blocking(void *(*function)(void *argument), void *argument) {
  struct spgc_mutator *self = spgc_caller();
  spgc_require_use(function != NULL, "no function is given");
  spgc_require_may_stop(__func__);
  struct blocking_region blocking_region = {
      .mutator = self, .function = function, .argument = argument};
  return spgc_stack_suspend(self->stack_base, call_in_region, &blocking_region);
}

static void go_back(struct blocking_region **blocking_region) {
  spgc_blocking_go_back(*blocking_region);
}

void *spgc_call_managed(void *(*function)(void *argument), void *argument) {
  __attribute__((cleanup(go_back))) struct blocking_region *blocking_region =
      spgc_blocking_region();
  spgc_require_use(function != NULL, "no function is given");
  spgc_require_use(blocking_region != NULL, "spgc_call_managed outside spgc_call_blocking");
  spgc_require_may_stop(__func__);
  spgc_blocking_end(blocking_region);
  return function(argument);
}
