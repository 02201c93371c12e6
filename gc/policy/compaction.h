/* How much of the old space a cycle compacts.
 *
 *   unused = bytes of recyclable blocks that are not live: holes not used since the last sweep
 *
 *   unused > old / 8, or         the next marking is full, and compacts
 *   room is short (pacer.h)
 *   live of a block <= 5/8       it may be a candidate; the sparsest are chosen first
 *   objects moved + slots updated <= 8192     in one pause
 *
 * Objects and slots cost 0.05 to 0.15 microseconds each, a cache miss or two, so these take about a
 * millisecond; bytes cost little. */
#ifndef SPGC_GC_POLICY_COMPACTION_H
#define SPGC_GC_POLICY_COMPACTION_H

#include "heap/condemn.h"
#include "spgc/heap.h"

enum { SPGC_SPARSE_BYTES = SPGC_BLOCK_BYTES / 8 * 5 };

/* The next marking should be full and compact. Needs every block swept. */
bool spgc_compaction_is_due(enum spgc_compact compact, const struct spgc_heap *heap,
                            bool room_is_short);

struct spgc_compaction_work spgc_compaction_work(enum spgc_compact compact);

#endif
