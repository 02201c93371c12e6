#include "gc/mutator/safepoint.h"

#include "gc/collect.h"
#include "gc/mutator/interrupt.h"
#include "gc/mutator/misuse.h"
#include "gc/state/runtime.h"
#include "gc/mutator/slow_stop.h"
#include "spgc/generated.h"
#include "support/cancellation.h"

struct stop {
  struct spgc_mutator *self;
  spgc_stopped_action action;
  void *context;
  bool done;
};

static void *wait_for_others(const struct spgc_suspended_stack *stack, void *self) {
  spgc_world_arrive(self, stack);
  spgc_world_go_on(self);
  return NULL;
}

static void *stop_and_act(const struct spgc_suspended_stack *stack, void *context) {
  struct stop *stop = context;
  struct spgc_stopped_world world;
  if (!spgc_world_stop(stop->self, &world))
    return wait_for_others(stack, stop->self);
  spgc_watermark_thin(stop->self->watermark);
  stop->self->stack = stack;
  struct spgc_slow_stop slow;
  bool told = spgc_slow_stop_note(&slow, world);
  stop->action(world, stop->context);
  stop->self->stack = NULL;
  spgc_world_resume(world);
  if (told)
    spgc_slow_stop_log(&slow);
  stop->done = true;
  return NULL;
}

/* A thread that may be cancelled anywhere may leave an object half made, or a lock taken. */
static void require_deferred_cancellation(void) {
  spgc_require(!spgc_cancellation_is_asynchronous(),
               "an attached thread's cancellation type is asynchronous: it must be deferred but in functions called by "
               "spgc_call_blocking");
}

bool spgc_safepoint_run(spgc_stopped_action action, void *context) {
  SPGC_UNCANCELLED;
  require_deferred_cancellation();
  struct spgc_mutator *self = spgc_mutator_self();
  struct stop stop = {.self = self, .action = action, .context = context};
  spgc_stack_suspend(self->stack_base, stop_and_act, &stop);
  return stop.done;
}

void spgc_safepoint_stop_if_asked(struct spgc_mutator *self) {
  if (!spgc_mutator_is_asked_to_stop(self))
    return;
  SPGC_UNCANCELLED;
  require_deferred_cancellation();
  spgc_stack_suspend(self->stack_base, wait_for_others, self);
}

static void collect(struct spgc_stopped_world world, void *kind) {
  spgc_collect_stopped(world, *(enum spgc_collection *)kind);
}

/* What another thread collected counts if it was as much. Only written with the world stopped. */
static uint64_t collections_like(enum spgc_collection kind) {
  const struct spgc_runtime *runtime = &spgc_runtime;
  return kind == SPGC_COLLECTION_FULL ? runtime->whole_collections
                                      : runtime->statistics.minor_collections + runtime->statistics.full_collections;
}

void spgc_safepoint_collect(enum spgc_collection kind) {
  uint64_t before = collections_like(kind);
  while (!spgc_safepoint_run(collect, &kind))
    if (collections_like(kind) != before)
      return;
}

void spgc_collect(enum spgc_collection kind) {
  spgc_caller();
  spgc_require_no_walk(__func__);
  spgc_require_use(kind == SPGC_COLLECTION_MINOR || kind == SPGC_COLLECTION_FULL, "there is no collection of kind %d",
                   (int)kind);
  spgc_safepoint_collect(kind);
}

/* Generated code may run in spgc_call_blocking if it holds no references. */
void spgc_poll_slow(void) {
  if (spgc_mutator_current == NULL)
    return;
  spgc_require_no_walk(__func__);
  if (spgc_runtime.options.stress == SPGC_STRESS_NONE)
    spgc_safepoint_stop_if_asked(spgc_mutator_self());
  else
    spgc_safepoint_collect(SPGC_COLLECTION_MINOR);
  spgc_interrupt_if_asked();
}
