/* Waits that seem to have no end: a line on standard error names what is waited for, so that a
 * program that hangs says why (docs/debugging.md). */
#ifndef SPGC_GC_MUTATOR_LONG_WAIT_H
#define SPGC_GC_MUTATOR_LONG_WAIT_H

#include "gc/mutator/mutator.h"

/* How long a stop waits for a thread before that is told; UINT64_MAX: it is not. */
uint64_t spgc_long_wait_ns(void);

/* Tells that a stop has waited so long for the mutator, and what its thread does. The world is
 * being stopped, so that the mutator stays, and is not locked. */
void spgc_long_wait_tell(const struct spgc_mutator *mutator, uint64_t waited_ns);

/* Tells that the calling thread has so many scoped handles, the last one made by code that returns
 * to this address. */
void spgc_many_handles_tell(size_t count, void *return_address);

#endif
