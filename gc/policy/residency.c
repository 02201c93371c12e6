#include "gc/policy/residency.h"

#include "heap/blocks.h"
#include "support/min_max.h"

/* See residency.h for the formulas. */
enum {
  CYCLE_PARTS = 8,               /* of the recent peak, a cycle forgets one */
  COLLECTION_PARTS = 2048,       /* ... and another collection */
  NURSERIES = 2,                 /* that stay resident: one in use, one for what survives it */
  COPIED_PARTS = 8,              /* of a large nursery, one is left resident for copies */
  DISCARDED_PER_COLLECTION = 64, /* blocks */
};

static void note_use(struct spgc_residency *residency, const struct spgc_heap *heap,
                     const struct spgc_collected *collected) {
  size_t recent = residency->recent_blocks;
  size_t faded = recent - recent / (collected->full ? CYCLE_PARTS : COLLECTION_PARTS);
  size_t before = collected->asked_full ? 0 : spgc_max(faded, collected->blocks_before);
  residency->recent_blocks = spgc_max(before, heap->used_blocks);
}

static size_t blocks_for_copies(const struct spgc_nursery *nursery) {
  bool is_large = nursery->budget_blocks > nursery->copying_blocks;
  return is_large ? nursery->budget_blocks / COPIED_PARTS : 0;
}

void spgc_residency_collected(struct spgc_residency *residency, const struct spgc_nursery *nursery,
                              struct spgc_heap *heap, const struct spgc_collected *collected,
                              size_t growth_bytes) {
  note_use(residency, heap, collected);
  heap->recent_blocks = (uint32_t)residency->recent_blocks;
  heap->kept_resident = (uint32_t)blocks_for_copies(nursery);
  size_t expected_bytes = spgc_min(growth_bytes, collected->live_bytes);
  size_t next = NURSERIES * nursery->budget_blocks + expected_bytes / SPGC_BLOCK_BYTES;
  size_t keep = spgc_max(next, residency->recent_blocks - heap->used_blocks);
  uint32_t most = collected->asked_full ? UINT32_MAX : DISCARDED_PER_COLLECTION;
  spgc_blocks_discard_idle(heap, (uint32_t)keep, most);
}
