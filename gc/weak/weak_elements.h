/* Weak elements: arrays whose descriptors say SPGC_TYPE_TAIL_WEAK (spgc/type.h).
 *
 * A minor collection treats the elements like other references. A marking does not follow them, and
 * neither does a collection that moves everything. Both flag the blocks in which they find such
 * arrays (`has_weak` of struct spgc_block), so that weak processing finds the arrays again to clear
 * elements whose objects were not reached. */
#ifndef SPGC_GC_WEAK_WEAK_ELEMENTS_H
#define SPGC_GC_WEAK_WEAK_ELEMENTS_H

#include "gc/trace/liveness.h"

/* If old objects may be dead: clears the elements that refer to them, and updates the others. */
void spgc_weak_elements_clear(const struct spgc_liveness *liveness);

#endif
