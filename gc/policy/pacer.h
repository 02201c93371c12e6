/* The pacing of the old space: when its next cycle begins, how it marks, and when mutators help.
 * docs/policy.md, "Pacer", has the formulas. */
#ifndef SPGC_GC_POLICY_PACER_H
#define SPGC_GC_POLICY_PACER_H

#include "gc/policy/collected.h"
#include "gc/policy/limit.h"
#include "gc/trace/cycle.h"
#include "support/backoff.h"

enum {
  SPGC_GROWTH = 100, /* percent of the live bytes, the default */
  SPGC_GREATEST_GROWTH = 10000,
  SPGC_LEAST_GROWTH_BYTES = 32 << 20,
};

struct spgc_policy;

struct spgc_pacer {
  uint32_t growth;        /* percent, or SPGC_GROWTH_TO_LIMIT; constant */
  bool marks_slowly;      /* small objects are expected to survive */
  bool fills_holes;       /* most of what was copied last found holes; written by each minor one */
  size_t recent_bytes;    /* live lately; written when a marking ends */
  size_t allocated_bytes; /* since a full marking ended */
  size_t doubt_bytes;     /* allocated before doubt begins a cycle; written by each full marking */
  struct spgc_backoff full_markings; /* an opportunity is a marking that could be partial */
};

void spgc_pacer_start(struct spgc_pacer *pacer, const struct spgc_options *options);

/* Constant; cycles are created with it. */
struct spgc_pace spgc_pacer_pace(void);

/* Bytes of the old space at which the next cycle begins, after `live_bytes` were found. */
size_t spgc_pacer_target(const struct spgc_policy *policy, size_t live_bytes);

/* The limit lets the old space grow by less than it should, or the old space is fragmented. */
bool spgc_pacer_needs_small_holes(const struct spgc_policy *policy, const struct spgc_heap *heap,
                                  size_t live_bytes);

/* Bytes in free blocks and holes beyond the reserve of the next cycle. */
size_t spgc_pacer_room(const struct spgc_policy *policy, const struct spgc_heap *heap,
                       size_t nursery_blocks, size_t live_bytes);

/* Only the reserve is left, and the next cycle has something to find. */
bool spgc_pacer_room_is_short(const struct spgc_policy *policy, const struct spgc_heap *heap,
                              const struct spgc_cycle *cycle);

/* Even during the last cycle's sweep. */
bool spgc_pacer_begins_cycle(const struct spgc_policy *policy, const struct spgc_heap *heap,
                             const struct spgc_cycle *cycle);

bool spgc_pacer_marks_in_part(const struct spgc_policy *policy, const struct spgc_heap *heap,
                              const struct spgc_cycle *cycle);

/* Bytes that mutators mark, sweep or decommit for each allocated; or 0. */
size_t spgc_pacer_assist_pace(const struct spgc_policy *policy, const struct spgc_heap *heap,
                              const struct spgc_cycle *cycle);

/* Asks before the nursery is full. Needs the heap lock. */
bool spgc_pacer_asks_for_final_mark(const struct spgc_heap *heap, const struct spgc_cycle *cycle);

/* With `nursery_blocks` more, the old space stays below what it may grow to and half of the limit,
 * or it has no holes. */
bool spgc_pacer_has_headroom(const struct spgc_policy *policy, const struct spgc_heap *heap,
                             size_t nursery_blocks, size_t live_bytes);

void spgc_pacer_marked(struct spgc_pacer *pacer, const struct spgc_marking *marking);
void spgc_pacer_collected(struct spgc_pacer *pacer, const struct spgc_collected *collected);

#endif
