/* The policies, and their common decisions. docs/policy.md has the formulas and their sources.
 *
 *   limit      gc/policy/limit.h       how large the heap may be; what a request is admitted
 *   pacer      gc/policy/pacer.h       when the old space is marked, and how
 *   nursery    gc/policy/nursery.h     how much is allocated between minor collections; copy or
 *                                      promote in place
 *   residency  below                   which idle blocks keep their pages
 *   compaction below                   which sparse blocks the final mark evacuates
 *   overhead   gc/policy/overhead.h    whether full collections leave the program time
 *
 * Only functions that note something change a policy. */
#ifndef SPGC_GC_POLICY_POLICY_H
#define SPGC_GC_POLICY_POLICY_H

#include "gc/policy/collected.h"
#include "gc/policy/limit.h"
#include "gc/policy/nursery.h"
#include "gc/policy/overhead.h"
#include "gc/policy/pacer.h"

/* Which free blocks keep their pages. */
struct spgc_residency {
  size_t kept_idle;     /* resident */
  size_t excess_idle;   /* decommitted by the cycle's steps */
  size_t growing_bytes; /* survived since the last marking */
  size_t grown_bytes;   /* survived before the last marking, if that was partial */
};

struct spgc_policy {
  struct spgc_limit limit;
  struct spgc_pacer pacer;
  struct spgc_nursery nursery;
  struct spgc_residency residency;
  struct spgc_overhead overhead;
  enum spgc_compact compact; /* constant */
};

void spgc_policy_start(struct spgc_policy *policy, const struct spgc_options *options);

struct spgc_steps spgc_policy_steps(const struct spgc_policy *policy, const struct spgc_heap *heap,
                                    const struct spgc_cycle *cycle);

/* With the world stopped: the limit is what the system granted, until it grants a nursery and its
 * copies. */
void spgc_policy_note_refusal(struct spgc_policy *policy, struct spgc_heap *heap);

void spgc_policy_collected(struct spgc_policy *policy, struct spgc_heap *heap,
                           const struct spgc_collected *collected);

/* The next marking should be full and compact. Every block is swept. `known_bytes` were found by
 * the last marking or promoted since. */
bool spgc_policy_compacts(const struct spgc_policy *policy, const struct spgc_heap *heap,
                          size_t known_bytes, bool room_is_short);

struct spgc_compaction_work spgc_policy_compaction_work(const struct spgc_policy *policy);

#endif
