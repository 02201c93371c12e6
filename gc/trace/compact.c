#include "gc/trace/compact.h"

#include "heap/remembered/recorded.h"

void spgc_compaction_choose(struct spgc_marker *marker, const struct spgc_compaction_work *work) {
  struct spgc_heap *heap = marker->heap;
  if (spgc_recorded_open(&heap->recorded))
    spgc_candidates_choose(heap, work);
}

bool spgc_compaction_is_possible(const struct spgc_heap *heap) {
  return heap->candidate_blocks != 0 && !spgc_recorded_is_full(&heap->recorded);
}

void spgc_compaction_forget(struct spgc_marker *marker) {
  spgc_candidates_forget(marker->heap);
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    marker->scanners[i].recorder.chunk = NULL;
  spgc_recorded_forget(&marker->heap->recorded);
}
