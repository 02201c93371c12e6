#include "gc/mutator/safepoint.h"

#include "gc/mutator/misuse.h"
#include "gc/stall/slow_stop.h"
#include "gc/state/runtime.h"
#include "spgc/generated.h"
#include "spgc/thread.h"
#include "stackwalk/walkers.h"
#include "support/cancellation.h"
#include "support/collector_thread.h"

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
  spgc_fibers_prepare_walk(stop->self);
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

void spgc_safepoint_stop(struct spgc_mutator *self) {
  SPGC_UNCANCELLED;
  require_deferred_cancellation();
  spgc_stack_suspend(self->stack_base, spgc_world_pass, self);
}

const char *spgc_any_thread_forbids_waiting(void) {
  if (spgc_walkers_is_inside())
    return "a visitor of a stack walk must not reach a safepoint (spgc/stackwalk.h)";
  if (spgc_is_collector_thread || spgc_world_is_stopped_here())
    return "the world is stopped for a collection; try again when it has ended";
  return spgc_why_not_stop();
}

const char *spgc_any_thread_forbidden(void) {
  return spgc_runtime.started ? spgc_any_thread_forbids_waiting() : "the heap is not started";
}

void spgc_any_thread_run_stopped(spgc_stopped_action action, void *context) {
  if (spgc_mutator_current != NULL) {
    while (!spgc_safepoint_run(action, context))
      continue;
    return;
  }
  struct spgc_stopped_world world;
  spgc_world_stop_to_fork(NULL, &world);
  action(world, context);
  spgc_world_resume(world);
}

void *spgc_any_thread_call_blocking(void *(*function)(void *context), void *context) {
  return spgc_mutator_current != NULL ? spgc_call_blocking(function, context) : function(context);
}

struct request {
  enum spgc_collection kind;
  enum spgc_reason reason;
};

static void collect(struct spgc_stopped_world world, void *context) {
  const struct request *request = context;
  spgc_collect_stopped(world, request->kind, request->reason);
}

/* Written only with the world stopped. */
static uint64_t collections_like(enum spgc_collection kind) {
  const struct spgc_runtime *runtime = &spgc_runtime;
  return kind == SPGC_COLLECTION_FULL ? runtime->statistics.full_collections
                                      : runtime->statistics.collections;
}

void spgc_request_collection(enum spgc_collection kind, enum spgc_reason reason) {
  struct request request = {kind, reason};
  uint64_t before = collections_like(kind);
  while (!spgc_safepoint_run(collect, &request))
    if (collections_like(kind) != before)
      return;
}

void spgc_collect(enum spgc_collection kind) {
  spgc_caller();
  spgc_require_may_stop(__func__);
  spgc_require_use(kind == SPGC_COLLECTION_MINOR || kind == SPGC_COLLECTION_FULL,
                   "there is no collection of kind %d", (int)kind);
  spgc_request_collection(kind, SPGC_REASON_CALL);
}

SPGC_HOOK(spgc_set_interrupt_hook, spgc_interrupt_hook, SPGC_LOCK_HOOK)

/* May run in a signal handler at any point. */
void spgc_thread_interrupt(void) {
  __atomic_fetch_or(&spgc_thread.poll, SPGC_POLL_INTERRUPT, __ATOMIC_SEQ_CST);
}

static void interrupt_if_asked(void) {
  uintptr_t before =
      __atomic_fetch_and(&spgc_thread.poll, ~(uintptr_t)SPGC_POLL_INTERRUPT, __ATOMIC_SEQ_CST);
  if ((before & SPGC_POLL_INTERRUPT) == 0)
    return;
  const struct hook now = read_hook();
  if (now.call != NULL)
    now.call(now.context);
}

/* Generated code without references may run in spgc_call_blocking, without a mutator. */
void spgc_poll_slow(void) {
  struct spgc_mutator *self = spgc_mutator_current;
  if (self == NULL)
    return;
  spgc_require_may_stop(__func__);
  if (spgc_runtime.options.stress == SPGC_STRESS_EVERY_ALLOCATION)
    spgc_request_collection(SPGC_COLLECTION_MINOR, SPGC_REASON_STRESS);
  else if (spgc_mutator_is_asked_to_stop(self))
    spgc_safepoint_stop(self);
  interrupt_if_asked();
}
