#include "gc/policy/residency.h"

#include "heap/blocks.h"
#include "support/min_max.h"

enum {
  CYCLE_PARTS = 8,       /* of the recent peak, which a cycle forgets */
  CYCLE_BYTES = 1 << 30, /* collected without a cycle, they count as one */
  NURSERIES = 2,         /* one in use, one for its survivors */
  COPIED_PARTS = 8,      /* of a nursery, left for copies */
};

static void fade(struct spgc_residency *residency, const struct spgc_collected *collected) {
  residency->collected_bytes += collected->condemned_bytes;
  if (!collected->full && residency->collected_bytes < CYCLE_BYTES)
    return;
  residency->collected_bytes = 0;
  residency->recent_blocks -= residency->recent_blocks / CYCLE_PARTS;
}

static void note_use(struct spgc_residency *residency, const struct spgc_heap *heap,
                     const struct spgc_collected *collected) {
  fade(residency, collected);
  bool found_all_garbage = collected->full && !collected->partial;
  size_t recent = spgc_max(residency->recent_blocks, collected->blocks_before);
  residency->recent_blocks = spgc_max(found_all_garbage ? 0 : recent, heap->used_blocks);
}

void spgc_residency_collected(struct spgc_residency *residency, const struct spgc_nursery *nursery,
                              struct spgc_heap *heap, const struct spgc_collected *collected,
                              size_t growth_bytes) {
  note_use(residency, heap, collected);
  heap->recent_blocks = (uint32_t)residency->recent_blocks;
  heap->kept_resident = (uint32_t)(nursery->budget_blocks / COPIED_PARTS);
  size_t expected_bytes = spgc_min(growth_bytes, collected->live_bytes);
  size_t next = NURSERIES * nursery->budget_blocks + expected_bytes / SPGC_BLOCK_BYTES;
  residency->kept_idle = spgc_max(next, residency->recent_blocks - heap->used_blocks);
  if (collected->asked_full && collected->called)
    spgc_blocks_discard_idle(heap, (uint32_t)residency->kept_idle, UINT32_MAX);
  size_t idle = spgc_blocks_resident(heap);
  residency->excess_idle = idle > residency->kept_idle ? idle - residency->kept_idle : 0;
}
