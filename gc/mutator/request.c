#include "gc/mutator/request.h"

#include "gc/mutator/misuse.h"
#include "gc/state/locks.h"
#include "gc/state/runtime.h"
#include "gc/tlab/stress.h"
#include "spgc/generated.h"

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

/* ---- Polls and interrupts ---- */

struct hook {
  spgc_interrupt_hook function;
  void *context;
};

static struct hook hook; /* guarded by SPGC_LOCK_HOOK */

void spgc_set_interrupt_hook(spgc_interrupt_hook new_hook, void *context) {
  spgc_lock(SPGC_LOCK_HOOK);
  hook = (struct hook){new_hook, context};
  spgc_unlock(SPGC_LOCK_HOOK);
}

static void call_hook(void) {
  spgc_lock(SPGC_LOCK_HOOK);
  struct hook called = hook;
  spgc_unlock(SPGC_LOCK_HOOK);
  if (called.function != NULL)
    called.function(called.context);
}

/* May run in a signal handler at any point. */
void spgc_thread_interrupt(void) {
  __atomic_fetch_or(&spgc_thread.poll, SPGC_POLL_INTERRUPT, __ATOMIC_SEQ_CST);
}

static void interrupt_if_asked(void) {
  uintptr_t before =
      __atomic_fetch_and(&spgc_thread.poll, ~(uintptr_t)SPGC_POLL_INTERRUPT, __ATOMIC_SEQ_CST);
  if ((before & SPGC_POLL_INTERRUPT) != 0)
    call_hook();
}

/* Generated code without references may run in spgc_call_blocking, without a mutator. */
void spgc_poll_slow(void) {
  if (spgc_mutator_current == NULL)
    return;
  spgc_require_may_stop(__func__);
  if (spgc_stress_collects_at_polls())
    spgc_request_collection(SPGC_COLLECTION_MINOR, SPGC_REASON_STRESS);
  else
    spgc_safepoint_stop_if_asked(spgc_mutator_self());
  interrupt_if_asked();
}
