/* Which free blocks keep their pages.
 *
 * Refaulting a page of 4 KiB takes 3 us, copying as many bytes of a tree 1 to 2 us. So blocks that
 * the next cycle should touch stay resident:
 *
 *   resident idle blocks  =  nursery + copies(nursery) + min(live, target - live)
 *
 * Other idle blocks lose their pages in steps of the cycle (gc/trace/cycle.h), because that takes
 * 16 to 53 ms for hundreds of megabytes; a full collection on request ends when they have lost
 * them.
 *
 * Mutators leave resident blocks for copies, 1/8 of the nursery, and take blocks without pages
 * instead, because a fault in a pause is worse. */
#ifndef SPGC_GC_POLICY_RESIDENCY_H
#define SPGC_GC_POLICY_RESIDENCY_H

#include "gc/policy/collected.h"
#include "gc/policy/nursery.h"

struct spgc_residency {
  size_t kept_idle;   /* resident */
  size_t excess_idle; /* decommitted by the cycle's steps */
};

/* `growth_bytes` is what the old space may grow until its next cycle. Called after the pacer's and
 * the nursery's. */
void spgc_residency_collected(struct spgc_residency *residency, const struct spgc_nursery *nursery,
                              struct spgc_heap *heap, const struct spgc_collected *collected,
                              size_t growth_bytes);

#endif
