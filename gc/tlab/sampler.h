/* Samplers: which allocations of a thread the allocation profile sees.
 *
 * The bytes that a thread allocates are a line, on which sample points lie at random distances with
 * an exponential distribution. An object with a point in it is sampled. So each object of `bytes`
 * is sampled with the probability 1 - e^(-bytes/mean), whatever was sampled before.
 *
 *      cursor              limit = point, if nearer than the soft limit
 *   ---|-------------------|-------------------------------- TLAB
 *
 * The soft limit (gc/tlab/tlab.h) is never beyond the next point, so generated code takes the slow
 * path for the object that contains the point, and pays nothing for all others. Sampling begins and
 * ends with the world stopped, so that each thread's limit is lowered before it allocates again. A
 * limit that was lowered stays until the next slow path when sampling ends.
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
  uint64_t mean;   /* of the gaps between points, in bytes; 1: every object is sampled; 0: none */
  uintptr_t point; /* an object that ends beyond this is sampled. Without a TLAB the cursor is 0.
                      UINTPTR_MAX if nothing is sampled */
  struct spgc_random random;
};

/* Most calls of a sample. */
enum { SPGC_SAMPLE_CALLS = 96 };

struct spgc_sample {
  struct spgc_ref object;
  const struct spgc_type *type;
  size_t bytes;
  const struct spgc_call *calls; /* running calls, the caller of the allocation first */
  size_t call_count;             /* at most SPGC_SAMPLE_CALLS */
};

/* Called on the allocating thread, before the object is returned. Not a safepoint. */
typedef void spgc_sample_taker(const struct spgc_sample *sample);

/* No thread is attached. */
void spgc_samplers_seed(uint64_t seed);

/* For samplers that begin from now on; a mean of 0 samples nothing. With the world stopped, or
 * under its lock with no thread attached. */
void spgc_samplers_begin(uint64_t mean, spgc_sample_taker *take);

/* For a thread that attaches. Under the world's lock. */
void spgc_sampler_begin(struct spgc_sampler *sampler);

/* With the start of a TLAB. Inline, because the allocator opens and leaves many. */
static inline void spgc_sampler_enter_tlab(struct spgc_sampler *sampler, uintptr_t start) {
  if (sampler->mean != 0)
    sampler->point = sampler->point < UINTPTR_MAX - start ? start + sampler->point : UINTPTR_MAX;
}

/* With the last cursor of the TLAB; or 0. */
static inline void spgc_sampler_leave_tlab(struct spgc_sampler *sampler, uintptr_t cursor) {
  if (sampler->mean != 0)
    sampler->point -= cursor;
}

/* Counts an object of the slow path. Whether it contains a point, and so must be sampled. The
 * cursor is at its end, unless it is large. */
bool spgc_sampler_count_object(struct spgc_sampler *sampler, uintptr_t cursor, size_t bytes);

/* Samples an object of the calling thread. `return_address` is that of the call of the library. */
void spgc_sample_take(struct spgc_sample sample, void *stack_base, const void *return_address);

#endif
