/* Which free blocks keep their pages.
 *
 * Refaulting a page of 4 KiB takes 3 us, copying as many bytes of a tree 1 to 2 us. So blocks that
 * will be used soon stay resident:
 *
 *   recent  =  used after the collection, in one that found all garbage
 *              max(used before the collection, used after it, faded recent) in others
 *   faded   =  7/8 recent when a partial marking ended, or 1 GiB was collected without one
 *   next    =  2 nurseries + min(live, target - live)      what the next cycle should touch
 *   resident idle blocks  =  max(next, recent - used)
 *
 * The peak decays as in jemalloc's purging of unused pages ("dirty_decay_ms"), but by bytes instead
 * of time, so that a run repeats by its seed. Other idle blocks lose their pages in steps of the
 * cycle (gc/trace/cycle.h), because that takes 16 to 53 ms for hundreds of megabytes; a full
 * collection on request ends when they have lost them.
 *
 * Mutators leave resident blocks for copies, 1/8 of the nursery, and take blocks without pages
 * instead, because a fault in a pause is worse. None of the constants matters much
 * (bench/NOTES.md). */
#ifndef SPGC_GC_POLICY_RESIDENCY_H
#define SPGC_GC_POLICY_RESIDENCY_H

#include "gc/policy/collected.h"
#include "gc/policy/nursery.h"

struct spgc_residency {
  size_t recent_blocks;   /* peak in use */
  size_t collected_bytes; /* of nurseries, since the peak faded */
  size_t kept_idle;       /* resident */
  size_t excess_idle;     /* decommitted by the cycle's steps */
};

/* `growth_bytes` is what the old space may grow until its next cycle. Called after the pacer's and
 * the nursery's. */
void spgc_residency_collected(struct spgc_residency *residency, const struct spgc_nursery *nursery,
                              struct spgc_heap *heap, const struct spgc_collected *collected,
                              size_t growth_bytes);

#endif
