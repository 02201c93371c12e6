#include "gc/allocation/out_of_memory.h"

#include "gc/events/events.h"
#include "gc/mutator/mutator.h"
#include "gc/state/locks.h"
#include "support/clock.h"

static struct hook {
  spgc_out_of_memory_hook call;
  void *context;
} hook; /* guarded by SPGC_LOCK_HOOK */

void spgc_set_out_of_memory_hook(spgc_out_of_memory_hook new_hook, void *context) {
  SPGC_LOCKED(SPGC_LOCK_HOOK);
  hook = (struct hook){new_hook, context};
}

static struct hook read_hook(void) {
  SPGC_LOCKED(SPGC_LOCK_HOOK);
  return hook;
}

bool spgc_out_of_memory_hook_runs(const struct spgc_mutator *mutator) {
  return mutator->handles.hook_height != 0;
}

/* Threads in the hook first: their reserve takes whole blocks. */
void spgc_out_of_memory_collected(struct spgc_stopped_world world, size_t freed_blocks) {
  for (int of_running_hooks = 1; of_running_hooks >= 0; of_running_hooks--)
    for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
      if (spgc_out_of_memory_hook_runs(mutator) == of_running_hooks)
        spgc_reserve_refill(&mutator->reserve, of_running_hooks, &freed_blocks);
}

/* The handle is above all scopes around the call and below the hook's, so the height shows whether
 * they were left. */
void spgc_out_of_memory_report(size_t requested_bytes, uint32_t futile_collections) {
  struct spgc_mutator *self = spgc_mutator_self();
  if (spgc_out_of_memory_hook_runs(self) ||
      !(spgc_hears_out_of_memory() || read_hook().call != NULL))
    return;
  struct spgc_scope scope = spgc_scope_open();
  spgc_handle_make(spgc_ref_null());
  self->reserve.advanced_blocks = 0;
  self->handles.hook_height = self->handles.height;
  SPGC_TELL(out_of_memory, spgc_out_of_memory_event, .thread = self->number,
            .requested_bytes = requested_bytes, .ns = spgc_clock_ns(),
            .futile_collections = futile_collections);
  const struct hook now = read_hook();
  if (now.call != NULL)
    now.call(now.context, requested_bytes);
  spgc_scope_close(scope);
}
