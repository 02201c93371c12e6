#include "gc/policy/residency.h"

#include "heap/blocks.h"
#include "heap/condemn.h"
#include "support/min_max.h"

enum { COPIED_PARTS = 8 }; /* of a nursery, left for copies */

void spgc_residency_collected(struct spgc_residency *residency, const struct spgc_nursery *nursery,
                              struct spgc_heap *heap, const struct spgc_collected *collected,
                              size_t growth_bytes) {
  size_t budget = nursery->budget_blocks;
  size_t expected_bytes = spgc_min(growth_bytes, collected->live_bytes);
  residency->kept_idle = budget + spgc_blocks_for_evacuation(budget * SPGC_BLOCK_BYTES) +
                         expected_bytes / SPGC_BLOCK_BYTES;
  heap->kept_resident = (uint32_t)(budget / COPIED_PARTS);
  if (collected->asked_full && collected->called)
    spgc_blocks_discard_idle(heap, (uint32_t)residency->kept_idle, UINT32_MAX);
  size_t idle = spgc_blocks_resident(heap);
  residency->excess_idle = idle > residency->kept_idle ? idle - residency->kept_idle : 0;
}
