/* How much of the old space a cycle compacts.
 *
 *   unused = bytes of recyclable blocks that are not live: holes not used since the last sweep
 *
 *   unused > old / 8, or         the next marking is full, and compacts
 *   room is short (pacer.h)
 *   live of a block <= 5/8       it may be a candidate; the sparsest are chosen first
 *   objects moved + slots updated <= 1 ms / cost     in one pause
 *
 * `cost` is learnt from each compaction, in processor time, with its second visit of the roots.
 * Objects and slots cost 0.05 to 0.15 microseconds each, a cache miss or two; bytes cost little. */
#ifndef SPGC_GC_POLICY_COMPACTION_H
#define SPGC_GC_POLICY_COMPACTION_H

#include "heap/condemn.h"
#include "spgc/heap.h"

struct spgc_compaction_policy {
  enum spgc_compact compact;
  bool learns;      /* false if the run must repeat */
  uint64_t cost_ps; /* per object or slot, in picoseconds */
  size_t objects_per_block;
};

void spgc_compaction_start(struct spgc_compaction_policy *policy,
                           const struct spgc_options *options);

/* The next marking should be full and compact. Needs every block swept. */
bool spgc_compaction_is_due(const struct spgc_compaction_policy *policy,
                            const struct spgc_heap *heap, bool room_is_short);

struct spgc_compaction_work spgc_compaction_work(const struct spgc_compaction_policy *policy);

struct spgc_compacted {
  size_t objects, bytes;
  size_t slots;
  uint64_t cpu_ns;
};

void spgc_compaction_done(struct spgc_compaction_policy *policy,
                          const struct spgc_compacted *compacted);

#endif
