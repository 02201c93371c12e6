#include "gc/mutator/safepoint.h"

#include "gc/stall/slow_stop.h"
#include "support/cancellation.h"

struct stop {
  struct spgc_mutator *self;
  spgc_stopped_action action;
  void *context;
  bool done;
};

static void *stop_and_act(const struct spgc_suspended_stack *stack, void *context) {
  struct stop *stop = context;
  struct spgc_stopped_world world;
  if (!spgc_world_stop(stop->self, &world))
    return spgc_world_pass(stack, stop->self);
  /* From here on no mutator runs managed code or enters the collector: its registers are on its
   * stack, and it waits for spgc_world_resume. */
  spgc_watermark_thin(stop->self->watermark);
  stop->self->stack = stack;
  struct spgc_slow_stop slow;
  bool is_slow = spgc_slow_stop_note(&slow, world.stopped_ns - world.asked_ns,
                                     world.last != NULL ? world.last->stack : NULL);
  stop->action(world, stop->context);
  stop->self->stack = NULL;
  spgc_world_resume(world);
  /* `world` is no longer a witness. */
  if (is_slow)
    spgc_slow_stop_log(&slow);
  stop->done = true;
  return NULL;
}

/* Asynchronous cancellation could leave an object half made, or a lock taken. */
static void require_deferred_cancellation(void) {
  spgc_require(
      !spgc_cancellation_is_asynchronous(),
      "an attached thread's cancellation type is asynchronous; make it deferred, except in "
      "functions called by spgc_call_blocking");
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
  spgc_stack_suspend(self->stack_base, spgc_world_pass, self);
}