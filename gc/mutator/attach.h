/* Attached threads, seen from fork. */
#ifndef SPGC_GC_MUTATOR_ATTACH_H
#define SPGC_GC_MUTATOR_ATTACH_H

#include "gc/mutator/mutator.h"

/* In a forked child: the mutators, linked by `next`, are of threads that do not exist. The areas
 * were published. */
void spgc_attach_forget(struct spgc_mutator *mutators);

#endif
