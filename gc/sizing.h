/* How much memory the heap may take, and when it collects.
 *
 * Invariant: large blocks + 2 * (blocks that copies of all small objects can take) <= limit, so that every collection
 * the heap may need finds room for its copies below the limit.
 */
#ifndef SPGC_GC_SIZING_H
#define SPGC_GC_SIZING_H

#include "heap/heap.h"
#include "spgc/heap.h"

#define SPGC_LEAST_LIMIT ((size_t)2 << 20)
#define SPGC_GREATEST_LIMIT ((size_t)1 << 44)

enum {
  SPGC_FIRST_NURSERY_BYTES = 8 << 20, /* near what caches hold; while little survives it stays that small */
  SPGC_LARGEST_NURSERY_BYTES = 32 << 20,
  SPGC_RESERVE_BYTES = 4 * SPGC_BLOCK_BYTES, /* kept for the out-of-memory hook */
};

_Static_assert(SPGC_RESERVE_BYTES >= 65536, "spgc_out_of_memory_hook promises 64 KiB");

struct spgc_sizing {
  size_t limit_blocks;   /* constant */
  size_t nursery_blocks; /* small and large ones allocated between minor collections: each collection */
  size_t least_nursery_blocks, most_nursery_blocks; /* what nursery_blocks may become; constant */
  size_t full_collection; /* old blocks beyond which the next collection is full: each full collection */
  bool reserve_open;      /* the out-of-memory hook may use the reserve */
};

/* Bytes of address space for a limit: more than the limit, so that runs of blocks are found when it is fragmented. */
size_t spgc_sizing_reservation(size_t heap_limit);

void spgc_sizing_start(struct spgc_sizing *sizing, const struct spgc_options *options);

/* Whether the limit admits this many more bytes of small objects, or another run of large blocks. */
bool spgc_sizing_admits(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t small_bytes,
                        size_t large_blocks);

/* Whether the nursery has room for this many more blocks; an empty nursery has room for any large object. */
bool spgc_sizing_nursery_has_room(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t blocks);

/* What an allocation that found no room should collect. */
enum spgc_collection spgc_sizing_next_collection(const struct spgc_sizing *sizing, const struct spgc_heap *heap);

/* To be told after each collection: what was condemned, and how much of it survived. */
void spgc_sizing_collected(struct spgc_sizing *sizing, struct spgc_heap *heap, enum spgc_collection kind,
                           size_t condemned_bytes, size_t moved_bytes);

#endif
