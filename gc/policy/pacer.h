/* The pacing of the old space: when its next cycle begins, how it marks, and when mutators help.
 * docs/policy.md says why each constant has its value.
 *
 * A cycle begins when live + promoted > target
 *
 * or when allocated > doubt and the old space has 32 MiB or more
 *
 *   live       bytes that the last marking found, or took for live
 *   promoted   bytes promoted since
 *   whole      bytes that the last full marking found
 *   recent     max(whole, 7/8 of the recent before), updated at the end of each marking
 *
 *   target  =  whole + min(max(recent + growth * recent - whole, 32 MiB), left)
 *   left    =  limit - whole - nursery
 *
 * The default growth is 150 percent while survival is expected (gc/policy/nursery.h), because
 * copies take no memory then and holes are filled. Otherwise it is 100: proportional growth, as
 * Go's GOGC ("A Guide to the Go Garbage Collector"). The square-root rule of MemBalancer (Kirisame,
 * Shenoy and Panchekha, "Optimal heap limits for reducing browser memory use", OOPSLA 2022) needs
 * rates by a clock, so runs would not repeat by their seed.
 *
 * Once 1/6 of the growth was promoted since the last cycle, the next begins early if memory is
 *
 *   fragmented   the blocks of the old space, holes included, take more than it may grow to if the
 *                limit is far: the cycle compacts (gc/policy/policy.h)
 *   short        room < reserve, even while the last marking is being swept, because a mutator can
 *                fill holes as fast as they are found
 *
 *   room     =  limit - used + holes       without the holes, once most survivors do not fit them
 *   reserve  =  min(whole / 4 + nursery + copies(nursery), (limit - whole) / 2)
 *
 * While a marking runs, the program allocates 1/6 of what is live (below); 1/4 allows for what it
 * allocates before mutators help. The reserve includes a nursery and its copies, because a cycle
 * begins only at a collection.
 *
 * Old objects may die without growth, as when a program drops a table and its other objects die
 * young. So doubt grows with allocation:
 *
 *   allocated  bytes since a full marking ended, less 16 for each that survived: if much is
 *              promoted, growth begins cycles soon enough
 *   doubt      32 MiB; four times as much after each futile marking, which began in doubt and found
 *              3/4 of the bytes believed live; 32 MiB again after one that found less
 *
 * Mutators help a cycle when
 *
 *   promoted since its phase began  >  allowance / 16   (/ 2 if it is at least 512 MiB)
 *   allowance  =  min(max(growth * live, 32 MiB), free)
 *
 * This is the mark assist of Go's pacer (Clements, "Go 1.5 concurrent garbage collector pacing",
 * 2015), with a fixed ratio of work to allocation as in Baker's collector ("List processing in real
 * time on a serial computer", CACM 21(4), 1978):
 *
 *   marked  =  6 * allocated bytes       a marking ends before the program has allocated 1/6 of
 *                                        what is live
 *   swept   =  6 * allocated blocks      a sweep, before it has allocated 1/6 of the heap
 *
 * A mutator that assists makes almost no progress itself, so large cycles get time until half is
 * used. Mutators assist for four blocks together, because holding the cycle and waking its thread
 * has a cost.
 *
 * A final mark is due when a marking has nothing left to do in steps. It may take the rest of the
 * pause (gc/policy/nursery.h).
 *
 *   asked for     when the nursery has 6 blocks, a step: less frees too little for a stop. Each
 *                 failed try halves this, which leaves the program less time to make work
 *   tried         always after copying; after promotion in place when at most 49,152 cards are
 *                 deferred, because it has to visit all roots for that
 *   put off       after as many steps as mark 2 MiB, which fits a pause. Marking then continues
 *   16th try      takes what is left, however long, so that each marking ends
 *
 * A cycle marks in part (sticky mark bits: Demers, Weiser, Hayes, Boehm, Bobrow and Shenker,
 * "Combining generational and conservative garbage collection: framework and implementations", POPL
 * 1990) unless
 *
 *   live > whole + (target - whole) / 2      half of the growth may have died since the last full
 *                                            marking
 *   bytes on deferred cards > whole / 4      reading the cards would be 1/4 of a full marking
 *   doubt began the cycle                    it is about old objects
 *   left < whole / 2                         near the limit all garbage has to be found
 *   partial markings found too little        1/3 of what was promoted was alive: the next one,
 *                                            then 2, 4, 8 ... are full (support/backoff.h) */
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

struct spgc_pacer {
  uint32_t growth;          /* percent, or SPGC_GROWTH_TO_LIMIT; constant */
  uint32_t survival_growth; /* while survival is expected; constant */
  bool expects_survival;    /* by the nursery's policy */
  bool fills_holes;       /* most of what was copied last found holes; written by each minor one */
  size_t recent_bytes;    /* live lately; written when a marking ends */
  size_t allocated_bytes; /* since a full marking ended */
  size_t doubt_bytes;     /* allocated before doubt begins a cycle; written by each full marking */
  struct spgc_backoff full_markings; /* an opportunity is a marking that could be partial */
};

void spgc_pacer_start(struct spgc_pacer *pacer, const struct spgc_options *options);

/* Constant; cycles are created with it. */
struct spgc_pace spgc_pacer_pace(void);

/* Bytes of the old space at which the next cycle begins, after a full marking found
 * `live_bytes`. */
size_t spgc_pacer_target(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                         size_t nursery_blocks, size_t live_bytes);

/* The limit lets the old space grow by less than it should, or the old space is fragmented. */
bool spgc_pacer_needs_small_holes(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                                  const struct spgc_heap *heap, size_t nursery_blocks,
                                  size_t live_bytes);

/* Bytes in free blocks and holes beyond the reserve of the next cycle. */
size_t spgc_pacer_room(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                       const struct spgc_heap *heap, size_t nursery_blocks, size_t live_bytes);

/* Only the reserve is left, and the next cycle has something to find. */
bool spgc_pacer_room_is_short(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                              const struct spgc_heap *heap, const struct spgc_cycle *cycle,
                              size_t nursery_blocks);

bool spgc_pacer_begins_cycle(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                             const struct spgc_heap *heap, const struct spgc_cycle *cycle,
                             size_t nursery_blocks);

bool spgc_pacer_marks_in_part(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                              const struct spgc_heap *heap, const struct spgc_cycle *cycle,
                              size_t nursery_blocks);

/* Growth since the cycle's phase began is such that mutators should help. */
bool spgc_pacer_cycle_lags(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                           const struct spgc_heap *heap, const struct spgc_cycle *cycle);

/* Asks before the nursery is full. Needs the heap lock. */
bool spgc_pacer_asks_for_final_mark(const struct spgc_heap *heap, const struct spgc_cycle *cycle);

/* The old space, with `nursery_blocks` more, stays below twice what it may grow to and half of the
 * limit, or has no holes. */
bool spgc_pacer_has_headroom(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                             const struct spgc_heap *heap, size_t nursery_blocks,
                             size_t live_bytes);

void spgc_pacer_marked(struct spgc_pacer *pacer, const struct spgc_marking *marking);
void spgc_pacer_collected(struct spgc_pacer *pacer, const struct spgc_collected *collected);

#endif
