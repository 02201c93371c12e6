#include "gc/mutator/out_of_memory.h"

#include "gc/events/events.h"
#include "gc/mutator/mutator.h"
#include "gc/state/locks.h"
#include "gc/state/runtime.h"
#include "support/clock.h"

enum { WHOLE_RESERVE = SPGC_RESERVE_BYTES / SPGC_BLOCK_BYTES };

static spgc_out_of_memory_hook hook; /* written by any thread, under SPGC_LOCK_HOOK */
static void *hook_context;

void spgc_set_out_of_memory_hook(spgc_out_of_memory_hook new_hook, void *context) {
  spgc_lock(SPGC_LOCK_HOOK);
  hook = new_hook;
  hook_context = context;
  spgc_unlock(SPGC_LOCK_HOOK);
}

static void set_reserve(struct spgc_mutator *mutator, size_t blocks) {
  spgc_runtime.policy.limit.reserve_blocks += blocks - mutator->reserve_blocks;
  mutator->reserve_blocks = blocks;
}

/* A promise leaves a block to allocate from. Otherwise the reserves could take all that the limit
 * admits, and no thread would get an object although all are dead. */
bool spgc_out_of_memory_take_reserve(struct spgc_mutator *mutator) {
  const struct spgc_limit *limit = &spgc_runtime.policy.limit;
  size_t left_bytes = mutator->reserve_is_promised ? 0 : SPGC_BLOCK_BYTES;
  while (mutator->reserve_blocks < WHOLE_RESERVE &&
         spgc_limit_admits(limit, &spgc_runtime.heap, left_bytes, 0, limit->reserve_blocks + 1))
    set_reserve(mutator, mutator->reserve_blocks + 1);
  mutator->reserve_is_promised |= mutator->reserve_blocks == WHOLE_RESERVE;
  return mutator->reserve_is_promised;
}

void spgc_out_of_memory_give_reserve(struct spgc_mutator *mutator) {
  mutator->reserve_is_promised = false;
  set_reserve(mutator, 0);
}

bool spgc_out_of_memory_hook_runs(const struct spgc_mutator *mutator) {
  return mutator->handles.hook_height != 0;
}

/* The limit may admit more than the reserve; or the reserve is there, without room for copies. */
bool spgc_out_of_memory_may_use(const struct spgc_mutator *mutator, size_t small_bytes,
                                size_t large_blocks) {
  const struct spgc_limit *limit = &spgc_runtime.policy.limit;
  const struct spgc_heap *heap = &spgc_runtime.heap;
  if (!spgc_out_of_memory_hook_runs(mutator))
    return false;
  size_t of_others = limit->reserve_blocks - mutator->reserve_blocks;
  size_t blocks = spgc_blocks_for(small_bytes) + large_blocks;
  return spgc_limit_admits(limit, heap, small_bytes, large_blocks, of_others) ||
         (blocks <= mutator->reserve_blocks &&
          spgc_limit_free_blocks(limit, heap) >= of_others + blocks);
}

void spgc_out_of_memory_use_reserve(struct spgc_mutator *mutator, size_t blocks) {
  set_reserve(mutator, mutator->reserve_blocks > blocks ? mutator->reserve_blocks - blocks : 0);
}

/* A collection may free a block of the hook and yet end with as many in use, because its workers
 * leave blocks partly filled. So a running hook gets some blocks in advance: eight objects of a
 * quarter of a block are 64 KiB. */
static bool gets_in_advance(const struct spgc_mutator *mutator) {
  enum { MOST_ADVANCED = 8 };
  return spgc_out_of_memory_hook_runs(mutator) && mutator->advanced_blocks < MOST_ADVANCED;
}

/* Takes blocks as the limit admits them; and blocks that the collection freed, without room for
 * their copies (gc/policy/limit.h). So collections take nothing of a promised reserve whose objects
 * have died, and a hook that keeps its objects gets little more than its reserve. */
static void refill_reserve(struct spgc_mutator *mutator, size_t *freed_blocks) {
  const struct spgc_limit *limit = &spgc_runtime.policy.limit;
  if (!spgc_out_of_memory_take_reserve(mutator))
    return;
  while (mutator->reserve_blocks < WHOLE_RESERVE &&
         (*freed_blocks != 0 || gets_in_advance(mutator)) &&
         spgc_limit_unreserved_blocks(limit, &spgc_runtime.heap) != 0) {
    if (*freed_blocks != 0)
      --*freed_blocks;
    else
      mutator->advanced_blocks++;
    set_reserve(mutator, mutator->reserve_blocks + 1);
  }
}

/* Serves threads whose hook runs first: their hooks have taken whole blocks, of which the objects
 * may need little. Reserves of other threads that were used stay smaller until memory is free. */
void spgc_out_of_memory_collected(struct spgc_stopped_world world, size_t freed_blocks) {
  for (int of_running_hooks = 1; of_running_hooks >= 0; of_running_hooks--)
    for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
      if (spgc_out_of_memory_hook_runs(mutator) == of_running_hooks)
        refill_reserve(mutator, &freed_blocks);
}

void spgc_out_of_memory_restore_reserve(struct spgc_mutator *mutator) {
  if (mutator->reserve_blocks < WHOLE_RESERVE && !spgc_out_of_memory_hook_runs(mutator))
    spgc_out_of_memory_take_reserve(mutator);
}

static void call_hook(size_t requested_bytes) {
  spgc_lock(SPGC_LOCK_HOOK);
  spgc_out_of_memory_hook called = hook;
  void *context = hook_context;
  spgc_unlock(SPGC_LOCK_HOOK);
  if (called != NULL)
    called(context, requested_bytes);
}

static bool has_hook(void) {
  spgc_lock(SPGC_LOCK_HOOK);
  bool has = hook != NULL;
  spgc_unlock(SPGC_LOCK_HOOK);
  return has;
}

/* A handle of its own makes every scope of the listeners and of the hook higher than the scopes
 * around the call. So the height tells when they were left. */
void spgc_out_of_memory_report(size_t requested_bytes, uint32_t futile_collections) {
  struct spgc_mutator *self = spgc_mutator_self();
  if (spgc_out_of_memory_hook_runs(self) || !(spgc_hears_out_of_memory() || has_hook()))
    return;
  struct spgc_scope scope = spgc_scope_open();
  spgc_handle_make(spgc_ref_null());
  self->advanced_blocks = 0;
  self->handles.hook_height = self->handles.height;
  SPGC_TELL(out_of_memory, spgc_out_of_memory_event, .thread = self->number,
            .requested_bytes = requested_bytes, .ns = spgc_clock_ns(),
            .futile_collections = futile_collections);
  call_hook(requested_bytes);
  spgc_scope_close(scope);
}
