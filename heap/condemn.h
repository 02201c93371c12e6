/* Chooses the blocks that an evacuation empties. Blocks still condemned at its end are freed. */
#ifndef SPGC_HEAP_CONDEMN_H
#define SPGC_HEAP_CONDEMN_H

#include "heap/heap.h"

enum { SPGC_LEAST_FILL = SPGC_BLOCK_BYTES - SPGC_LARGEST_SMALL };

/* The most blocks that one worker's copies of `bytes` of small objects take. A block is left only
 * when an object does not fit, so all but the open ones are filled to at least SPGC_LEAST_FILL. */
static inline size_t spgc_blocks_for_evacuation(size_t bytes) {
  return bytes / SPGC_LEAST_FILL + 1 + SPGC_PLABS;
}

void spgc_condemn_nursery(struct spgc_heap *heap);

/* Instead, without a trace. Dead objects wait for the next sweep, no object has a mark, and
 * crossing maps are made later. Returns the bytes promoted. */
size_t spgc_promote_nursery(struct spgc_heap *heap);

void spgc_condemn_old(struct spgc_heap *heap);

enum { SPGC_SPARSE_BYTES = SPGC_BLOCK_BYTES / 8 * 5 };

struct spgc_sparse {
  size_t most_live_bytes;
  size_t unused_bytes; /* wanted: all blocks together have about as many, if there are enough */
};

/* After spgc_sweep_begin: condemns the sparsest old blocks to be relocated (heap/relocation.h).
 * False, with nothing condemned, if that is not worthwhile. */
bool spgc_condemn_sparse(struct spgc_heap *heap, struct spgc_sparse sparse);

/* ---- Candidates of a compaction (gc/trace/mark.h) ---- */

/* Objects moved plus slots updated in a pause: about a millisecond. Each 512 bytes count as one
 * more. */
enum { SPGC_MOST_COMPACTED = 1 << 14 };

struct spgc_compaction_work {
  size_t most_live_bytes; /* when a candidate is chosen */
  size_t budget;          /* as SPGC_MOST_COMPACTED */
  bool takes_filled;      /* also blocks without holes: their objects may have died since */
};

/* Every block is swept. None without memory to record the slots that refer to them. */
void spgc_candidates_choose(struct spgc_heap *heap, const struct spgc_compaction_work *work);

void spgc_candidates_forget(struct spgc_heap *heap);

/* There are candidates, and no slot that refers to one was lost. */
static inline bool spgc_candidates_are_recorded(const struct spgc_heap *heap) {
  return heap->candidate_blocks != 0 && !spgc_recorded_is_full(&heap->recorded);
}

/* After spgc_sweep_begin. Prepares blocks for the copies. Returns the bytes to move; 0 without
 * room, or if a slot was lost. */
size_t spgc_condemn_candidates(struct spgc_heap *heap, const struct spgc_compaction_work *work,
                               size_t free_blocks);

#endif
