/* Making more of the range accessible, with the side metadata of its blocks.
 *
 *   range   inaccessible ... | low_water   blocks that were accessible once   high_water | ...
 * inaccessible boundary ^
 */
#ifndef SPGC_HEAP_COMMIT_H
#define SPGC_HEAP_COMMIT_H

#include "heap/heap.h"

/* Reserves address space for the range and the tables beside it: `singles` blocks below the
 * boundary and `runs` above. False when the system refuses; nothing is left behind then. */
bool spgc_commit_create(struct spgc_heap *heap, size_t singles, size_t runs);
void spgc_commit_destroy(struct spgc_heap *heap);

/* Bytes of address space that so many blocks take, with the tables. */
size_t spgc_commit_bytes(size_t blocks);

/* Makes entries [first, end) of a table of the range's blocks writable. False when the system
 * refuses. */
bool spgc_commit_open_entries(void *table, size_t entry_bytes, size_t first, size_t end);

/* Makes `count` blocks more accessible, below the low-water mark or above the high-water mark,
 * which moves. False when the system or the range refuses: no block has changed then. */
bool spgc_commit_low(struct spgc_heap *heap, size_t count);
bool spgc_commit_high(struct spgc_heap *heap, size_t count);

#endif
