#include "gc/fork.h"

#include <pthread.h>

#include "gc/runtime.h"
#include "gc/world.h"
#include "support/fatal.h"

/* Constant but for the moment of a fork. */
static bool others_lost;

/* No other thread is within the locks, or stops the world, when the process is copied. */
static void prepare(void) {
  if (spgc_mutator_current != NULL)
    spgc_world_lock_running(spgc_mutator_current);
  else
    spgc_world_lock_resumed();
  spgc_runtime_hold_heap();
  if (spgc_runtime.started)
    spgc_cycle_hold(&spgc_runtime.cycle);
}

static void go_on(void) {
  spgc_runtime_unlock_heap();
  spgc_world_unlock();
}

static void go_on_in_parent(void) {
  if (spgc_runtime.started)
    spgc_cycle_release(&spgc_runtime.cycle);
  go_on();
}

static void go_on_in_child(void) {
  if (spgc_runtime.started)
    spgc_cycle_release_in_child(&spgc_runtime.cycle);
  others_lost = others_lost || spgc_world_population() > (spgc_mutator_current != NULL);
  go_on();
}

static int watch_result = -1;

static void watch(void) {
  watch_result = pthread_atfork(prepare, go_on_in_parent, go_on_in_child);
}

bool spgc_fork_watch(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch);
  return watch_result == 0;
}

void spgc_fork_check(void) {
  spgc_require(!others_lost, "the heap is used in a process forked while other threads were attached: there it may "
                             "only execute another program or exit");
}
