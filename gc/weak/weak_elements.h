/* Arrays with SPGC_TYPE_TAIL_WEAK (spgc/type.h).
 *
 * A minor collection treats the elements like other references. A marking, or a collection that
 * moves everything, does not follow them. Both flag the arrays' blocks (`has_weak`), so that weak
 * processing finds them again. */
#ifndef SPGC_GC_WEAK_WEAK_ELEMENTS_H
#define SPGC_GC_WEAK_WEAK_ELEMENTS_H

#include "gc/trace/liveness.h"

void spgc_weak_elements_clear(const struct spgc_liveness *liveness);

#endif
