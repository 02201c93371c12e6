#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "gc/events/events.h"
#include "gc/mutator/misuse.h"
#include "gc/mutator/safepoint.h"
#include "gc/mutator/world.h"
#include "gc/state/runtime.h"
#include "heap/remembered/tables.h"
#include "stackwalk/frame_end.h"
#include "stackwalk/pad_cache.h"
#include "stackwalk/watermark.h"
#include "support/cancellation.h"
#include "support/clock.h"
#include "support/fatal.h"

_Thread_local struct spgc_thread spgc_thread __attribute__((tls_model("initial-exec")));

_Thread_local struct spgc_mutator *spgc_mutator_current __attribute__((tls_model("initial-exec")));

_Thread_local struct spgc_mutator *spgc_mutator_attached __attribute__((tls_model("initial-exec")));

ptrdiff_t spgc_thread_offset(void) {
  return (char *)&spgc_thread - (char *)__builtin_thread_pointer();
}

/* Its destructor detaches a thread that ends. */
static pthread_key_t ending;
static bool ending_exists; /* guarded by the world's lock */

static void destroy(struct spgc_mutator *mutator) {
  spgc_watermark_destroy(mutator->watermark);
  spgc_pad_cache_destroy(mutator->pad_cache);
  spgc_handle_stack_free(&mutator->handles);
  spgc_store_buffer_destroy(&mutator->store_buffer);
  free(mutator);
}

/* Needs the heap lock, the TLAB retired and the store buffer flushed. */
static void leave_heap(struct spgc_mutator *mutator) {
  spgc_store_buffer_remove(&spgc_runtime.heap, &mutator->store_buffer);
  spgc_reserve_release(&mutator->reserve, &spgc_runtime.policy.limit);
  spgc_runtime.policy.nursery.mutators--;
}

static void return_holes(struct spgc_mutator *mutator) {
  struct spgc_runtime *runtime = &spgc_runtime;
  if (mutator->tlab.born_old.count == 0)
    return;
  SPGC_CYCLE_HELD(&runtime->cycle);
  SPGC_LOCKED(SPGC_LOCK_HEAP);
  spgc_tlab_retire_all(&mutator->tlab);
}

static void detach(struct spgc_mutator *mutator) {
  SPGC_UNCANCELLED;
  return_holes(mutator);
  spgc_world_lock_running(mutator);
  spgc_world_remove(mutator);
  spgc_lock(SPGC_LOCK_HEAP);
  spgc_tlab_retire(&mutator->tlab);
  spgc_store_buffer_flush(&spgc_runtime.heap, &mutator->store_buffer);
  leave_heap(mutator);
  spgc_unlock(SPGC_LOCK_HEAP);
  spgc_unlock(SPGC_LOCK_WORLD);
  spgc_pad_cache_use(NULL);
  destroy(mutator);
  pthread_setspecific(ending, NULL);
  spgc_mutator_attached = spgc_mutator_current = NULL;
  spgc_thread = (struct spgc_thread){0};
}

static void tell_detached(const struct spgc_mutator *mutator) {
  SPGC_TELL(thread_detached, spgc_thread_event, .thread = mutator->number, .ns = spgc_clock_ns(),
            .system_thread = gettid());
}

/* The key's destructor. The thread's other frames have ended. */
static void end(void *mutator) {
  spgc_require_may_stop("the end of a thread");
  spgc_mutator_current = mutator;
  spgc_fibers_abandon(mutator);
  spgc_mutator_current->stack_base = __builtin_frame_address(0);
  tell_detached(mutator);
  detach(mutator);
}

static void enter(struct spgc_mutator *mutator, void *base) {
  mutator->thread = &spgc_thread;
  mutator->stack_base = spgc_frame_end(base);
  mutator->watermark = spgc_watermark_create();
  mutator->pad_cache = spgc_pad_cache_create();
  spgc_pad_cache_use(mutator->pad_cache);
  spgc_fibers_begin(mutator);
  spgc_tlab_create(&mutator->tlab);
  spgc_thread = (struct spgc_thread){
      .cards = spgc_cards_biased(&spgc_runtime.heap),
      .group_cards = spgc_group_cards_biased(&spgc_runtime.heap),
      .poll = spgc_runtime.options.stress == SPGC_STRESS_EVERY_ALLOCATION ? SPGC_POLL_STRESS : 0};
  spgc_store_buffer_add(&spgc_runtime.heap, &mutator->store_buffer, &spgc_thread.stores);
  spgc_mutator_attached = spgc_mutator_current = mutator;
}

/* Before waiting for the world: an attached running thread would wait for itself. */
static enum spgc_result check_call(const void *base, struct spgc_error *error) {
  if (spgc_mutator_attached != NULL)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0,
                          "spgc_thread_attach: the thread is attached already");
  if (spgc_cancellation_is_asynchronous())
    return spgc_error_set(
        error, SPGC_ERROR_STATE, 0,
        "spgc_thread_attach: the thread's cancellation type is asynchronous; make it deferred");
  if (base == NULL)
    return spgc_error_set(
        error, SPGC_ERROR_INVALID_ARGUMENT, 0,
        "spgc_thread_attach: no base of the stack is given; pass __builtin_frame_address(0)");
  return SPGC_OK;
}

/* SPGC_ERROR_STATE, without a message, if the heap is not started: waiting unlocks the world, so
 * the heap may stop. */
static enum spgc_result attach(void *base, struct spgc_error *error) {
  SPGC_LOCKED(SPGC_LOCK_WORLD);
  spgc_world_wait();
  if (!spgc_runtime.started)
    return SPGC_ERROR_STATE;
  struct spgc_mutator *mutator = calloc(1, sizeof *mutator);
  bool is_made = mutator != NULL && spgc_store_buffer_create(&mutator->store_buffer);
  ending_exists = ending_exists || pthread_key_create(&ending, end) == 0;
  if (!is_made || !ending_exists || pthread_setspecific(ending, mutator) != 0) {
    if (is_made)
      destroy(mutator);
    else
      free(mutator);
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "spgc_thread_attach: cannot allocate the mutator: out of memory");
  }
  enter(mutator, base);
  spgc_world_add(mutator);
  spgc_lock(SPGC_LOCK_HEAP);
  spgc_runtime.policy.nursery.mutators++;
  spgc_reserve_take(&mutator->reserve, &spgc_runtime.policy.limit, &spgc_runtime.heap);
  spgc_unlock(SPGC_LOCK_HEAP);
  return SPGC_OK;
}

static bool has_reserve(void) {
  SPGC_LOCKED(SPGC_LOCK_HEAP);
  return spgc_reserve_take(&spgc_mutator_self()->reserve, &spgc_runtime.policy.limit,
                           &spgc_runtime.heap);
}

static void collect_for_reserve(struct spgc_stopped_world world, void *context) {
  spgc_collect_stopped(world, SPGC_COLLECTION_MINOR, SPGC_REASON_RESERVE);
  if (!has_reserve())
    spgc_collect_stopped(world, SPGC_COLLECTION_FULL, SPGC_REASON_RESERVE);
}

enum spgc_result spgc_thread_attach(void *base, struct spgc_error *error) {
  SPGC_UNCANCELLED;
  spgc_require_may_stop(__func__);
  enum spgc_result result = check_call(base, error);
  if (result != SPGC_OK)
    return result;
  result = attach(base, error);
  char copies[SPGC_COPY_TEXT_BYTES];
  if (result == SPGC_ERROR_STATE)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0,
                          "spgc_thread_attach: the heap is not started; call spgc_start first%s",
                          spgc_copies_explain(copies));
  if (result != SPGC_OK)
    return result;
  for (bool collected = false; !has_reserve() && !collected;)
    collected = spgc_safepoint_run(collect_for_reserve, NULL);
  if (has_reserve()) {
    SPGC_TELL(thread_attached, spgc_thread_event, .thread = spgc_mutator_self()->number,
              .ns = spgc_clock_ns(), .system_thread = gettid());
    return SPGC_OK;
  }
  detach(spgc_mutator_self());
  return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                        "spgc_thread_attach: the limit of %zu bytes leaves no space for the %d "
                        "bytes that the thread's out-of-memory hook may use",
                        spgc_runtime.options.heap_limit, SPGC_RESERVE_BYTES);
}

static bool refuse_frame(void *context, const struct spgc_frame *frame) {
  spgc_fatal("spgc_thread_detach: called below a managed frame, at 0x%" PRIxPTR
             ": return from it first",
             frame->return_address);
}

static void *refuse_barriers(const struct spgc_suspended_stack *stack, void *watermark) {
  const struct spgc_stack_visitor visitor = {.frame = refuse_frame};
  spgc_walk_unresumed(stack, watermark, &visitor, NULL);
  return NULL;
}

void spgc_thread_detach(void) {
  if (spgc_mutator_attached == NULL)
    return;
  struct spgc_mutator *self = spgc_caller();
  spgc_require_use(self->blocking_calls == 0,
                   "the thread is in spgc_call_managed; return from it, and from "
                   "spgc_call_blocking, first");
  spgc_require_may_stop(__func__);
  spgc_require_use(self->fibers.running == &self->fibers.own,
                   "the thread runs a fiber: switch to its own stack first");
  spgc_require_use(self->fibers.count == 0, "%zu fibers of the thread are not released",
                   self->fibers.count);
  /* A frame with a barrier would return to the destroyed watermark's stub. Frames left by a jump
   * may seem to have barriers. */
  spgc_watermark_thin(self->watermark);
  if (self->watermark != NULL && self->watermark->count != 0)
    spgc_stack_suspend(self->stack_base, refuse_barriers, self->watermark);
  tell_detached(self);
  detach(self);
}

void spgc_mutators_forget(struct spgc_mutator *mutators) {
  for (struct spgc_mutator *mutator = mutators, *next; mutator != NULL; mutator = next) {
    next = mutator->next;
    SPGC_LOCKED(SPGC_LOCK_HEAP);
    spgc_tlab_return_blocks(&mutator->tlab);
    leave_heap(mutator);
    spgc_fibers_forget(mutator);
    destroy(mutator);
  }
}
