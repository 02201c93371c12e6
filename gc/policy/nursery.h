/* The nursery: its size, and whether it is copied or promoted in place, or objects are born old.
 * docs/policy.md says why each constant has its value.
 *
 * The budget is what is allocated until the next minor collection:
 *
 *   in-place size     while nurseries are promoted in place
 *   1 MiB or copying  while a marking is in progress and objects would be born old: copied, so that
 *                     survivors fill holes, in which no object can be born then
 *   copying size      otherwise
 *
 * Copying size, from 2 to 8 MiB: what a short pause copies. The pause is split by the linear cost
 * model of G1's pause prediction (Detlefs, Flood, Heller and Printezis, "Garbage-first garbage
 * collection", ISMM 2004):
 *
 *   fixed = time of the roots + 50 ns * dirty cards read
 *   copy  = processor time of the collecting thread - fixed
 *
 *   goal      2/3 pause
 *   halved    when copy > goal
 *   doubled   when 2 copy < goal and the nursery was at least half full
 *   least     2 MiB; 1 MiB when more than half survived; 128 KiB, a sample, while survival is
 *             expected
 *   most      8 MiB, or a quarter of the live bytes up to 16 MiB if that is more; the least when
 *             more than half survived; 16 MiB when fixed > goal
 *
 * Fixed time does not count, because smaller nurseries only repeat it more often. If more than half
 * survives, a larger nursery only lengthens the pause.
 *
 * In-place size: 8 MiB. Each promotion defers the dirty cards, which a marking reads again, so
 * smaller ones would lengthen it.
 *
 * A final mark that is not finished at begun + pause is put off after its first step: the marking
 * continues in steps.
 *
 * In-place promotion (en masse promotion) is predicted by samples: nurseries that are copied. If
 * more than half of one survived, 7 times its size is promoted in place before the next.
 *
 * Survival is expected while
 *
 *   streak > 2 max(live, 32 MiB)
 *
 *   streak     bytes of samples that survived, and of what was promoted in place or born old
 *              between them, since a sample of which more than half died, or that read fewer than 4
 *              dirty cards for each of its blocks
 *   live       bytes that the last full marking found
 *
 * Then mutators allocate in the holes of the old space, outside of markings, and the next sample
 * follows the next marking. So a program whose objects begin to die young is copied again a cycle
 * later. Objects without references from old ones may belong to a structure that is being built and
 * dies as a whole: with such streaks, binary trees of depth 20 took 320 to 390 MB instead of 210 to
 * 240, and 1/5 more time. The next cycle (gc/policy/pacer.h) and the next sample bound objects born
 * old; a collection after some were promotes the young in place (heap/born_old.h). */
#ifndef SPGC_GC_POLICY_NURSERY_H
#define SPGC_GC_POLICY_NURSERY_H

#include "gc/policy/collected.h"
#include "gc/policy/pacer.h"

enum {
  /* Bytes. If all survive, 2 MiB are copied in 0.6 to 1 ms as a tree of objects of 24 bytes, in 2.4
   * to 4.6 ms when linked at random. 8 MiB are a quarter of the last cache there. */
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
  bool makes_born_old;        /* in holes, while there are any */
  size_t most_born_old_bytes; /* until the next collection */
  size_t mutators;            /* attached; each may have a block even of the smallest nursery */
};

void spgc_nursery_start(struct spgc_nursery *nursery, const struct spgc_options *options);

/* For that many more blocks; an empty nursery has space for any large object. */
bool spgc_nursery_has_space(const struct spgc_nursery *nursery, const struct spgc_heap *heap,
                            size_t blocks);

/* Valid until the next collection. Each mutator may take holes once. */
bool spgc_nursery_admits_born_old(const struct spgc_nursery *nursery, const struct spgc_heap *heap);

/* Most of the last samples survived, so this nursery should not be copied; whether it is at least
 * half as large as a copied one. */
bool spgc_nursery_expects_survival(const struct spgc_nursery *nursery);
bool spgc_nursery_is_oversized(const struct spgc_nursery *nursery, const struct spgc_heap *heap);
bool spgc_nursery_is_half_full(const struct spgc_nursery *nursery, const struct spgc_heap *heap);

/* The time at which a final mark is put off, in a pause whose own work began at `begun_ns`, by
 * spgc_clock_ns. */
uint64_t spgc_nursery_final_mark_deadline(const struct spgc_nursery *nursery, uint64_t begun_ns);

/* After each collection, after the pacer's. */
void spgc_nursery_collected(struct spgc_nursery *nursery, const struct spgc_pacer *pacer,
                            const struct spgc_limit *limit, const struct spgc_heap *heap,
                            const struct spgc_collected *collected);

/* If the system refuses the budget and its copies, it becomes at most the limit's share. */
void spgc_nursery_fit(struct spgc_nursery *nursery, const struct spgc_limit *limit);

#endif
