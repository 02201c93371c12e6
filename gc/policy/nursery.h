/* The nursery: its size, and whether it is copied or promoted in place, or objects are born old.
 * docs/policy.md, "Nursery", has the formulas. */
#ifndef SPGC_GC_POLICY_NURSERY_H
#define SPGC_GC_POLICY_NURSERY_H

#include "gc/policy/collected.h"
#include "gc/policy/pacer.h"
#include "heap/born_old.h"
#include "support/min_max.h"

enum {
  SPGC_LEAST_NURSERY_BYTES = 2 << 20,
  SPGC_CACHED_NURSERY_BYTES = 8 << 20,

  SPGC_PAUSE_NS = 3000000,
};

struct spgc_nursery {
  uint64_t pause_ns;    /* constant; 0: none */
  size_t budget_blocks; /* until the next minor collection, large blocks included */
  size_t copying_blocks;
  size_t least_copying_blocks, most_copying_blocks; /* constant */
  size_t share_blocks;                              /* of the limit, at most; constant */
  bool predicts;                                    /* constant */
  size_t blocks_to_sample; /* to be promoted in place or born old before the next */
  bool may_make_born_old;  /* constant */
  size_t streak_blocks;
  bool expects_survival;
  bool survivors_are_small;   /* those of the last sample */
  bool makes_born_old;        /* in holes, while there are any */
  size_t most_born_old_bytes; /* until the next collection */
  size_t mutators;            /* attached; each may have a block even of the smallest nursery */
};

void spgc_nursery_start(struct spgc_nursery *nursery, const struct spgc_options *options);

/* For that many more blocks; an empty nursery has space for any large object. */
static inline bool spgc_nursery_has_space(const struct spgc_nursery *nursery,
                                          const struct spgc_heap *heap, size_t blocks) {
  size_t used = heap->nursery.count + heap->nursery_large_blocks;
  return used == 0 || used + blocks <= spgc_max(nursery->budget_blocks, nursery->mutators);
}

/* Valid until the next collection. Each mutator may take holes once. */
static inline bool spgc_nursery_admits_born_old(const struct spgc_nursery *nursery,
                                                const struct spgc_heap *heap) {
  size_t taken_at_once = nursery->mutators * SPGC_BORN_OLD_BLOCKS * SPGC_BLOCK_BYTES;
  return heap->born_old_bytes < spgc_max(nursery->most_born_old_bytes, taken_at_once);
}

/* Most of the last samples survived; this one is at least half as large as a copied one. */
bool spgc_nursery_expects_survival(const struct spgc_nursery *nursery);
bool spgc_nursery_is_oversized(const struct spgc_nursery *nursery, const struct spgc_heap *heap);
bool spgc_nursery_is_half_full(const struct spgc_nursery *nursery, const struct spgc_heap *heap);

/* When a final mark is put off, in a pause whose work began at `begun_ns`, by spgc_clock_ns. */
uint64_t spgc_nursery_final_mark_deadline(const struct spgc_nursery *nursery, uint64_t begun_ns);

/* After each collection, after the pacer's. */
void spgc_nursery_collected(struct spgc_policy *policy, const struct spgc_heap *heap,
                            const struct spgc_collected *collected);

/* If the system refuses the budget and its copies: at most the limit's share. */
void spgc_nursery_fit(struct spgc_nursery *nursery, const struct spgc_limit *limit);

#endif
