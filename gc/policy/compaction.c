#include "gc/policy/compaction.h"

#include "heap/hole.h"

bool spgc_compaction_is_due(enum spgc_compact compact, const struct spgc_heap *heap,
                            bool room_is_short) {
  if (compact != SPGC_COMPACT_DEFAULT)
    return compact == SPGC_COMPACT_ALWAYS;
  return room_is_short || spgc_holes_abound(heap);
}

struct spgc_compaction_work spgc_compaction_work(enum spgc_compact compact) {
  if (compact == SPGC_COMPACT_ALWAYS)
    return (struct spgc_compaction_work){SPGC_BLOCK_BYTES, SIZE_MAX};
  return (struct spgc_compaction_work){SPGC_SPARSE_BYTES, SPGC_MOST_COMPACTED};
}
