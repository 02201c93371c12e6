#include "gc/sizing.h"

#include "heap/blocks.h"
#include "heap/evacuate.h"

enum {
  GROWTH = 2,               /* old space may grow to this multiple of what lived */
  LEAST_FULL_BLOCKS = 1024, /* below that much old space full collections are not worth their trouble */
  MANY_SURVIVE = 16,        /* when one byte in this many survives, objects have too little time to die */
  FEW_SURVIVE = 128,        /* when less than one byte in this many survives, they have more than they need */
};

size_t spgc_sizing_reservation(size_t heap_limit) {
  return 2 * heap_limit + (size_t)SPGC_COMMIT_BLOCKS * SPGC_BLOCK_BYTES;
}

void spgc_sizing_start(struct spgc_sizing *sizing, const struct spgc_options *options) {
  size_t limit = options->heap_limit / SPGC_BLOCK_BYTES;
  size_t nursery = options->nursery_size, most = nursery;
  if (nursery == 0) {
    size_t share = options->heap_limit / 16;
    nursery = share < SPGC_FIRST_NURSERY_BYTES ? share : SPGC_FIRST_NURSERY_BYTES;
    most = share < SPGC_LARGEST_NURSERY_BYTES ? share : SPGC_LARGEST_NURSERY_BYTES;
  }
  sizing->limit_blocks = limit;
  sizing->nursery_blocks = sizing->least_nursery_blocks = nursery / SPGC_BLOCK_BYTES;
  sizing->most_nursery_blocks = most / SPGC_BLOCK_BYTES;
  sizing->full_collection = LEAST_FULL_BLOCKS;
  sizing->reserve_open = false;
}

bool spgc_sizing_admits(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t small_bytes,
                        size_t large_blocks) {
  if (large_blocks > sizing->limit_blocks)
    return false;
  size_t small = heap->old_bytes + (size_t)heap->nursery.count * SPGC_BLOCK_BYTES + small_bytes;
  if (!sizing->reserve_open)
    small += SPGC_RESERVE_BYTES;
  return heap->large_blocks + large_blocks + 2 * spgc_evacuation_blocks(small) <= sizing->limit_blocks;
}

bool spgc_sizing_nursery_has_room(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t blocks) {
  size_t used = heap->nursery.count + heap->nursery_large_blocks;
  return used == 0 || used + blocks <= sizing->nursery_blocks;
}

static size_t old_blocks(const struct spgc_heap *heap) {
  return heap->old.count + heap->large_blocks - heap->nursery_large_blocks;
}

enum spgc_collection spgc_sizing_next_collection(const struct spgc_sizing *sizing, const struct spgc_heap *heap) {
  return old_blocks(heap) > sizing->full_collection ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR;
}

/* A larger nursery gives objects more time to die, and their dirty cards more to be dirtied again; a smaller one stays
 * in the caches. */
static void adapt_nursery(struct spgc_sizing *sizing, enum spgc_collection kind, size_t condemned_bytes,
                          size_t moved_bytes) {
  size_t doubled = 2 * sizing->nursery_blocks, half = sizing->nursery_blocks / 2;
  if (kind == SPGC_COLLECTION_MINOR && moved_bytes > condemned_bytes / MANY_SURVIVE)
    sizing->nursery_blocks = doubled < sizing->most_nursery_blocks ? doubled : sizing->most_nursery_blocks;
  else if (moved_bytes < condemned_bytes / FEW_SURVIVE)
    sizing->nursery_blocks = half > sizing->least_nursery_blocks ? half : sizing->least_nursery_blocks;
}

void spgc_sizing_collected(struct spgc_sizing *sizing, struct spgc_heap *heap, enum spgc_collection kind,
                           size_t condemned_bytes, size_t moved_bytes) {
  enum { IDLE_PER_COLLECTION = 256 };
  adapt_nursery(sizing, kind, condemned_bytes, moved_bytes);
  size_t keep = 2 * sizing->nursery_blocks + GROWTH * old_blocks(heap); /* the next cycle will touch them anyway */
  if (kind == SPGC_COLLECTION_FULL) {
    size_t threshold = GROWTH * old_blocks(heap);
    sizing->full_collection = threshold > LEAST_FULL_BLOCKS ? threshold : LEAST_FULL_BLOCKS;
  }
  spgc_blocks_discard_idle(heap, (uint32_t)keep, kind == SPGC_COLLECTION_FULL ? UINT32_MAX : IDLE_PER_COLLECTION);
}
