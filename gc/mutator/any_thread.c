#include "gc/mutator/any_thread.h"

#include "gc/mutator/misuse.h"
#include "gc/state/runtime.h"
#include "spgc/thread.h"
#include "stackwalk/walkers.h"
#include "support/collector_thread.h"

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
