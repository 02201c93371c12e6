#include "gc/mutator.h"

#include <stdlib.h>

#include "gc/out_of_memory.h"
#include "gc/runtime.h"
#include "heap/card.h"
#include "support/fatal.h"

_Thread_local struct spgc_thread spgc_thread __attribute__((tls_model("initial-exec")));

_Thread_local struct spgc_mutator *spgc_mutator_current __attribute__((tls_model("initial-exec")));

ptrdiff_t spgc_thread_offset(void) {
  return (char *)&spgc_thread - (char *)__builtin_thread_pointer();
}

static void enter(struct spgc_mutator *mutator, void *base) {
  const struct spgc_runtime *runtime = &spgc_runtime;
  mutator->thread = &spgc_thread;
  mutator->stack_base = base;
  mutator->area = SPGC_BLOCK_NONE;
  spgc_thread = (struct spgc_thread){.cards = spgc_cards_biased(&runtime->heap),
                                     .poll = runtime->options.stress != SPGC_STRESS_NONE};
  spgc_mutator_current = mutator;
}

static enum spgc_result attach_locked(void *base, struct spgc_error *error) {
  struct spgc_runtime *runtime = &spgc_runtime;
  if (!runtime->started)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0, "a thread attaches before the heap is started");
  if (spgc_mutator_current != NULL)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0, "the thread is attached already");
  if (runtime->mutator != NULL)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0, "another thread is attached: one may be at a time");
  if (base == NULL)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0, "a thread attaches without the base of its stack");
  struct spgc_mutator *mutator = calloc(1, sizeof *mutator);
  if (mutator == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "no memory for a mutator");
  enter(mutator, base);
  runtime->mutator = mutator;
  return SPGC_OK;
}

enum spgc_result spgc_thread_attach(void *base, struct spgc_error *error) {
  spgc_runtime_lock();
  enum spgc_result result = attach_locked(base, error);
  spgc_runtime_unlock();
  return result;
}

void spgc_thread_detach(void) {
  if (spgc_mutator_current == NULL)
    return;
  spgc_runtime_lock();
  struct spgc_runtime *runtime = &spgc_runtime;
  runtime->statistics.allocated_bytes += spgc_mutator_retire_area(spgc_mutator_current, &runtime->heap);
  runtime->mutator = NULL;
  if (spgc_mutator_current->handles.hook_height != 0)
    spgc_out_of_memory_hook_left(&spgc_mutator_current->handles);
  spgc_handle_stack_free(&spgc_mutator_current->handles);
  free(spgc_mutator_current);
  spgc_mutator_current = NULL;
  spgc_thread = (struct spgc_thread){0};
  spgc_runtime_unlock();
}

void spgc_mutator_open_area(struct spgc_mutator *mutator, const struct spgc_heap *heap, uint32_t index) {
  uintptr_t start = spgc_heap_block_start(heap, index);
  mutator->area = index;
  mutator->area_limit = start + SPGC_BLOCK_BYTES;
  mutator->thread->cursor = start;
  spgc_mutator_open_window(mutator);
}

void spgc_mutator_open_window(struct spgc_mutator *mutator) {
  if (spgc_runtime.options.stress != SPGC_STRESS_NONE)
    return;
  uintptr_t cursor = mutator->thread->cursor;
  bool reaches_end = mutator->area_limit - cursor <= SPGC_LARGEST_SMALL;
  mutator->thread->limit = reaches_end ? mutator->area_limit : cursor + SPGC_LARGEST_SMALL;
}

size_t spgc_mutator_area_bytes(const struct spgc_mutator *mutator, const struct spgc_heap *heap) {
  if (mutator->area == SPGC_BLOCK_NONE)
    return 0;
  return mutator->thread->cursor - spgc_heap_block_start(heap, mutator->area);
}

void spgc_mutator_publish_area(struct spgc_mutator *mutator, struct spgc_heap *heap) {
  if (mutator->area != SPGC_BLOCK_NONE)
    heap->blocks[mutator->area].top = (uint32_t)spgc_mutator_area_bytes(mutator, heap);
}

size_t spgc_mutator_retire_area(struct spgc_mutator *mutator, struct spgc_heap *heap) {
  size_t bytes = spgc_mutator_area_bytes(mutator, heap);
  spgc_mutator_publish_area(mutator, heap);
  mutator->area = SPGC_BLOCK_NONE;
  mutator->area_limit = mutator->thread->cursor = mutator->thread->limit = 0;
  return bytes;
}
