/* Verification of heap and roots together. */
#ifndef SPGC_GC_VERIFY_H
#define SPGC_GC_VERIFY_H

#include "gc/mutator/safepoint.h"

/* Under verify=full: aborts when the heap is not consistent. `when` is "before" or "after" the
 * collection. */
void spgc_verify_if_asked(struct spgc_stopped_world world, const char *when);

#endif
