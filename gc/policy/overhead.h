/* Whether full collections still leave the program time (docs/collections.md, "When a request
 * cannot be met"). A full collection that is an allocation's last resort ends a window, which began
 * when the last such one ended. Memory counts as exhausted after FUTILE_WINDOWS futile ones in a
 * row. */
#ifndef SPGC_GC_POLICY_OVERHEAD_H
#define SPGC_GC_POLICY_OVERHEAD_H

#include "gc/policy/collected.h"
#include "gc/policy/limit.h"

enum { SPGC_OVERHEAD = 98 }; /* percent, the default */

struct spgc_effort {
  uint64_t elapsed_ns;
  uint64_t full_ns;
  uint64_t freed_blocks;
};

/* Written with the world stopped. */
struct spgc_overhead {
  uint64_t percent;          /* or SPGC_OVERHEAD_OFF; constant */
  uint64_t begun_ns;         /* or 0 */
  struct spgc_effort window; /* its elapsed_ns is 0 until it ends */
  uint32_t futile;           /* in a row */
  struct spgc_effort spent;  /* their sum */
};

void spgc_overhead_start(struct spgc_overhead *overhead, const struct spgc_options *options);

void spgc_overhead_collected(struct spgc_overhead *overhead, const struct spgc_limit *limit,
                             const struct spgc_heap *heap, const struct spgc_collected *collected);

bool spgc_overhead_is_exceeded(const struct spgc_overhead *overhead);

/* The program was told: it gets as many windows again. */
void spgc_overhead_forget(struct spgc_overhead *overhead);

struct spgc_overhead_description {
  char words[200];
};

struct spgc_overhead_description spgc_overhead_describe(const struct spgc_overhead *overhead,
                                                        const struct spgc_limit *limit);

#endif
