/* Which allocations collect. Under stress soft limits are 0 (gc/tlab/tlab.h), so each allocation
 * takes the slow path. */
#ifndef SPGC_GC_TLAB_STRESS_H
#define SPGC_GC_TLAB_STRESS_H

#include <stdbool.h>

/* Returns whether the allocation must collect first. */
bool spgc_stress_collects_at_allocation(void);

/* Whether the option `born` makes the next TLAB a hole. At random, half of the times between two
 * collections have no holes, because after one hole the nursery is not copied. */
bool spgc_stress_is_born_old(void);

bool spgc_stress_collects_at_polls(void);

#endif
