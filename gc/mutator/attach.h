/* Attached threads in a forked child. */
#ifndef SPGC_GC_MUTATOR_ATTACH_H
#define SPGC_GC_MUTATOR_ATTACH_H

#include "gc/mutator/mutator.h"

/* Releases the mutators of threads that do not exist in a forked child. They are linked by `next`.
 * Their TLABs were published. */
void spgc_attach_forget(struct spgc_mutator *mutators);

#endif
