/* Verification of heap and roots together. */
#ifndef SPGC_GC_PLAN_VERIFY_H
#define SPGC_GC_PLAN_VERIFY_H

#include "gc/mutator/safepoint.h"

/* Under verify=full, aborts if the heap or the roots are inconsistent. `when` is "before" or
 * "after" and completes "... the collection". */
void spgc_verify_if_asked(struct spgc_stopped_world world, const char *when);

#endif
