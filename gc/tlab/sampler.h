/* Samplers: which allocations of a thread the allocation profile sees.
 *
 * The bytes that a thread allocates are a line, with sample points at exponentially distributed
 * distances. An object with a point in it is sampled: with probability 1 - e^(-bytes/mean),
 * whatever was sampled before.
 *
 *      cursor              limit = point, if nearer than the soft limit
 *   ---|-------------------|-------------------------------- TLAB
 *
 * The soft limit (gc/tlab/tlab.h) is never beyond the next point, so generated code takes the slow
 * path for that object only. Sampling begins and ends with the world stopped; then each thread's
 * limit is lowered until its next slow path.
 *
 * Invariant, outside the allocator: cursor <= point. */
#ifndef SPGC_GC_TLAB_SAMPLER_H
#define SPGC_GC_TLAB_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/type.h"
#include "stackwalk/backtrace.h"
#include "support/random.h"

/* Written by its own thread, or with the world stopped. */
struct spgc_sampler {
  uint64_t mean;   /* of the gaps, in bytes; 1: every object is sampled; 0: none */
  uintptr_t point; /* an object that ends beyond it is sampled. Without a TLAB, the cursor is 0 */
  struct spgc_random random;
};

enum { SPGC_SAMPLE_CALLS = 96 };

struct spgc_sample {
  struct spgc_ref object;
  const struct spgc_type *type;
  size_t bytes;
  const struct spgc_call *calls; /* innermost first */
  size_t call_count;
};

/* Called on the allocating thread, before it gets the object. Not a safepoint. */
typedef void spgc_sample_taker(const struct spgc_sample *sample);

/* No thread is attached. */
void spgc_samplers_seed(uint64_t seed);

/* For samplers that begin later; a mean of 0 samples nothing. Needs the world stopped, or its lock
 * with no thread attached. */
void spgc_samplers_begin(uint64_t mean, spgc_sample_taker *take);

/* Needs the world's lock. */
void spgc_sampler_begin(struct spgc_sampler *sampler);

/* Asked for an object of the slow path. The cursor is at its end, unless it is large. */
bool spgc_sampler_count_object(struct spgc_sampler *sampler, uintptr_t cursor, size_t bytes);

/* `return_address` is the library call's. */
void spgc_sample_take(struct spgc_sample sample, void *stack_base, const void *return_address);

#endif
