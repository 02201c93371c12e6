/* Weak elements: arrays whose descriptors have SPGC_TYPE_TAIL_WEAK (spgc/type.h).
 *
 * A minor collection treats the elements like other references. A marking does not follow them, nor
 * does a collection that moves everything. Both flag the blocks of such arrays (`has_weak`), so
 * that weak processing finds them again. */
#ifndef SPGC_GC_WEAK_WEAK_ELEMENTS_H
#define SPGC_GC_WEAK_WEAK_ELEMENTS_H

#include "gc/trace/liveness.h"

/* If old objects may be dead. Updates the elements that stay. */
void spgc_weak_elements_clear(const struct spgc_liveness *liveness);

#endif
