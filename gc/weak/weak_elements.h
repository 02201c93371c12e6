/* Arrays with SPGC_TYPE_TAIL_WEAK (spgc/type.h).
 *
 * An evacuation records the elements that refer to condemned objects, instead of following them. If
 * there is no memory for that, or a store buffer names an element of a small array, the element
 * keeps its object alive until a later collection.
 *
 * A marking does not follow elements. It flags the arrays' blocks (`has_weak`), and weak processing
 * reads all of these arrays, because any element's object may have died. */
#ifndef SPGC_GC_WEAK_WEAK_ELEMENTS_H
#define SPGC_GC_WEAK_WEAK_ELEMENTS_H

#include "gc/trace/liveness.h"

void spgc_weak_elements_clear(const struct spgc_liveness *liveness);

#endif
