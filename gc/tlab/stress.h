/* Which allocations collect. Under stress generated code has no space to allocate in
 * (gc/tlab/tlab.h), so each allocation takes the slow path and counts. */
#ifndef SPGC_GC_TLAB_STRESS_H
#define SPGC_GC_TLAB_STRESS_H

#include <stdbool.h>

/* Counts it. Returns whether it must collect first. */
bool spgc_stress_collects_at_allocation(void);

/* Whether the option `born` makes the next TLAB a hole. At random, all TLABs between two
 * collections are nursery blocks half of the time, because after one hole the nursery is not
 * copied. */
bool spgc_stress_is_born_old(void);

bool spgc_stress_collects_at_polls(void);

#endif
