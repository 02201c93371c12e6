/* The residency of idle blocks: which free blocks keep their pages.
 *
 * Refaulting a page costs more than copying its contents: 3 us a page of 4 KiB, against 1 to 2 us
 * for so many bytes of a tree (docs/performance.md). Blocks that will be used soon therefore stay
 * resident:
 *
 *   recent  =  used after the collection, in one that found all garbage
 *              max(used before the collection, used after it, faded recent) in others
 *   faded   =  7/8 recent when a partial marking ended, or 1 GiB was collected without one
 *   next    =  2 nurseries + min(live, target - live)      what the next cycle should touch
 *   resident idle blocks  =  max(next, recent - used)
 *
 * The peak decays as in jemalloc's purging of unused pages ("dirty_decay_ms"), by bytes instead of
 * time, so that a run repeats by its seed. It does not decay by collections: with small nurseries
 * that took pages away before the next cycle used them again. The other idle blocks lose their
 * pages in steps of the cycle (gc/trace/cycle.h), because that takes too long for a pause: 16 to 53
 * ms for hundreds of megabytes. A full collection on request ends when they have lost them.
 *
 * Mutators leave resident blocks for copies, an eighth of the nursery, and take blocks without
 * pages instead, because a fault in a pause is worse: faults were a fifth of `live`'s pauses
 * (docs/performance.md).
 *
 * None of the constants matters much: half or twice of one changed the page faults of three
 * workloads by 5 percent at most, four nurseries instead of two by 11 (docs/performance.md). */
#ifndef SPGC_GC_POLICY_RESIDENCY_H
#define SPGC_GC_POLICY_RESIDENCY_H

#include "gc/policy/collected.h"
#include "gc/policy/nursery.h"

struct spgc_residency {
  size_t recent_blocks;   /* recent peak in use: each collection */
  size_t collected_bytes; /* of nurseries, since the peak faded: each collection */
  size_t kept_idle;       /* idle blocks that stay resident: each collection */
  size_t excess_idle;     /* other idle blocks, which the cycle's steps decommit: each collection */
};

/* Called after each collection, after the pacer's and the nursery's. `growth_bytes` is the growth
 * of the old space until its next cycle. */
void spgc_residency_collected(struct spgc_residency *residency, const struct spgc_nursery *nursery,
                              struct spgc_heap *heap, const struct spgc_collected *collected,
                              size_t growth_bytes);

#endif
