#include "gc/plan/collection.h"

#include "gc/state/runtime.h"
#include "gc/weak/pin.h"
#include "heap/blocks.h"
#include "heap/condemn.h"
#include "heap/relocation.h"
#include "heap/remembered/scan.h"

/* Except for rewritten registers, the collection counts its first stack walk. */
void spgc_phases_vacate(struct spgc_stopped_world world, struct collection *collection,
                        size_t bytes, void (*scan_others)(struct spgc_evacuation *evacuation)) {
  struct spgc_heap *heap = &spgc_runtime.heap;
  struct spgc_marker *marker = heap->keeps_marks ? &spgc_runtime.cycle.marker : NULL;
  struct spgc_evacuation *evacuation = &collection->evacuation;
  uint64_t survived_bytes = spgc_evacuation_survived_bytes(evacuation);
  struct spgc_walk_counts walk = collection->walk;
  spgc_evacuation_begin(evacuation, heap, marker, NULL);
  evacuation->recyclable = evacuation->workers[0].recyclable = SPGC_NO_BLOCKS;
  spgc_phases_prepare_workers(collection, spgc_blocks_for_evacuation(bytes));
  spgc_phases_evacuate(world, SPGC_ALL_ROOTS, collection, scan_others);
  if (marker != NULL) /* the copies have been counted again */
    marker->scanners[0].marked_bytes -= spgc_evacuation_survived_bytes(evacuation) - survived_bytes;
  walk.registers_rewritten += collection->walk.registers_rewritten;
  collection->walk = walk;
}

/* Returns whether some room was made and more memory would make more. */
static bool relocate(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_heap *heap = &spgc_runtime.heap;
  const struct spgc_limit *limit = &spgc_runtime.policy.limit;
  uint32_t used_blocks = heap->used_blocks;
  if (!spgc_condemn_sparse(heap, spgc_limit_sparse(limit, heap)))
    return false;
  spgc_pins_spare_blocks(heap);
  const struct spgc_relocation_plan plan =
      spgc_relocation_plan(heap, limit->blocks, !limit->relocates_all);
  if (plan.bytes == 0)
    return false;
  spgc_phases_vacate(world, collection, 0, spgc_evacuation_relocate);
  collection->evacuation.moved_bytes += plan.bytes;
  collection->relocated_bytes += plan.bytes;
  if (limit->counts_accessible)
    spgc_blocks_give_back_excess(heap, limit->blocks);
  return plan.is_refused && heap->used_blocks < used_blocks;
}

void spgc_collect_full(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_cycle *cycle = &runtime->cycle;
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_FREE);
  spgc_cycle_settle(cycle);
  /* In place, there is no memory for copies. Objects born old may refer to young ones from clean
   * cards (heap/born_old.h). */
  if (collection->outcome == SPGC_COLLECTED_IN_PLACE || collection->born_old_bytes != 0) {
    collection->promoted_bytes = spgc_promote_nursery(&runtime->heap);
    collection->nursery = SPGC_NURSERY_PROMOTED;
    spgc_cards_retire_all(&runtime->heap, SPGC_CARD_CLEAN);
  } else {
    spgc_phases_copy_nursery(world, collection, false);
  }
  /* Nothing is young. Marks are not kept, because sparse blocks are relocated next. */
  spgc_cycle_begin(cycle, false);
  spgc_phases_mark_roots(world, collection);
  spgc_phases_end_marking(collection, false);
  if (collection->outcome == SPGC_COLLECTED_IN_PLACE)
    spgc_policy_note_refusal(&runtime->policy, &runtime->heap);
  /* If memory is refused, objects go to the blocks that the last relocation has freed. */
  while (relocate(world, collection))
    continue;
  spgc_cycle_settle(cycle);
}

/* Copies all survivors, so that any wrong address shows at once. */
void spgc_collect_moving_all(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_evacuation *evacuation = &collection->evacuation;
  spgc_condemn_nursery(&runtime->heap);
  spgc_condemn_old(&runtime->heap);
  spgc_evacuation_begin(evacuation, &runtime->heap, NULL, &runtime->random);
  spgc_phases_evacuate(world, SPGC_ALL_ROOTS, collection, NULL);
  collection->promoted_bytes = spgc_evacuation_promoted_bytes(evacuation);
  runtime->cycle.live_bytes = runtime->cycle.full_marking_live_bytes =
      spgc_evacuation_survived_bytes(evacuation);
}
