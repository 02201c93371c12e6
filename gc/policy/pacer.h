/* The pacing of the old space: when its next cycle begins, how it marks, and when mutators help.
 * docs/policy.md says why each constant has its value.
 *
 * A cycle begins when   live + promoted > target
 *
 * or when   allocated > doubt   and the old space has 64 MiB or more
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
 * Go's GOGC ("A Guide to the Go Garbage Collector": target = live + (live + roots) * GOGC / 100).
 * The square-root rule of MemBalancer (Kirisame, Shenoy and Panchekha, "Optimal heap limits for
 * reducing browser memory use", OOPSLA 2022) needs rates by a clock, so runs would not repeat by
 * their seed. The price is that a slowly allocating program gets as much memory as a fast one.
 *
 * Once a sixth of the growth was promoted since the last cycle, the next one begins early for two
 * reasons:
 *
 *   fragmented   the blocks of the old space, holes included, take more than it may grow to if the
 *                limit is far: the cycle compacts (gc/policy/compaction.h). Without this, a cache
 *                of 64 MiB whose entries change their sizes (`frag 64`) takes 310 MB, with it 215
 *                to 240
 *   short        room < reserve, even while the last marking is being swept, because a mutator can
 *                fill holes as fast as they are found
 *
 *   room     =  limit - used + holes
 *   reserve  =  min(whole / 4 + nursery + copies(nursery), (limit - whole) / 2)
 *
 * While a marking runs, the program allocates a sixth of what is live (below); a quarter allows for
 * what it allocates before mutators help. The cycle could begin only at the next collection, so the
 * reserve includes the nursery until then and its copies (gc/policy/limit.h).
 *
 * Old objects may die without any growth: a program that drops a table, and whose other objects die
 * young, would keep the table's memory for good. So doubt grows with allocation:
 *
 *   allocated  bytes since a full marking ended, less 16 for each that survived: if much is
 *              promoted, growth begins cycles soon enough
 *   doubt      32 MiB; four times as much after each futile marking, which began in doubt and found
 *              three quarters of the bytes believed live; 32 MiB again once the live bytes exceed
 *              those of the last futile marking by half
 *
 * A program whose old space stays alive marks it 5 times while it allocates 10 GiB.
 *
 * Mutators help a cycle when
 *
 *   promoted since its phase began  >  allowance / 16   (/ 2 if it is at least 512 MiB)
 *   allowance  =  min(max(growth * live, 64 MiB), free)
 *
 * This is the mark assist of Go's pacer (Clements, "Go 1.5 concurrent garbage collector pacing",
 * 2015). The ratio of work to allocation is fixed, as in Baker's collector, which traces k cells
 * for each one that is allocated ("List processing in real time on a serial computer", CACM 21(4),
 * 1978):
 *
 *   marked  =  6 * allocated bytes       a marking ends before the program has allocated a sixth
 *                                        of what is live
 *   swept   =  4 * allocated blocks      a sweep, before it has allocated a quarter of the heap
 *
 * A mutator that marks six bytes for each that it allocates hardly runs: a program with a gigabyte
 * alive stalled for 40 ms when its marking, of 1.5 s, lagged by little. So large cycles get time
 * until half is used. Mutators assist for four blocks together, because holding the cycle and
 * waking its thread has a cost.
 *
 * A final mark is due when a marking has nothing left to do in steps. It may take the rest of the
 * pause (gc/policy/nursery.h).
 *
 *   asked for     when the nursery has 8 blocks: a collection of less frees too little for the
 *                 stop that it takes. Each failed try halves this, because the program then has
 *                 less time to leave the marking more work
 *   tried         always after copying; after promotion in place when at most 49,152 cards are
 *                 deferred, because it has to visit all roots for that. Its steps read a third of
 *                 those at most, but the program dirties none meanwhile, so less is left for the
 *                 next
 *   put off       after 8 steps of 256 KiB: 2 MiB of marking fit a pause. Marking then continues
 *   16th try      takes what is left, however long, so that each marking ends
 *
 * A cycle marks in part (sticky mark bits: Demers, Weiser, Hayes, Boehm, Bobrow and Shenker,
 * "Combining generational and conservative garbage collection: framework and implementations", POPL
 * 1990) unless
 *
 *   live > whole + (target - whole) / 2      half of the growth may be objects that died since the
 *                                            last full marking
 *   bytes on deferred cards > whole / 4      reading the cards would be a quarter of a full marking
 *   doubt began the cycle                    it is about old objects
 *   left < whole / 2                         near the limit all garbage has to be found
 *   partial markings found too little        a third of what was promoted was alive: the next one,
 *                                            then 3, 7, 15 ... are full (support/backoff.h)
 *
 * Partial markings took binary trees of depth 20 from 4.7 s of processor time to 3.2 to 3.5,
 * because a third of it had been to mark the same old tree again. */
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
  size_t recent_bytes;      /* live lately; written when a marking ends */
  size_t allocated_bytes;   /* since a full marking ended */
  size_t doubt_bytes;   /* allocated before doubt begins a cycle; written by each full marking */
  size_t doubted_bytes; /* found by the last futile marking, or 0 */
  struct spgc_backoff full_markings; /* an opportunity is a marking that could be partial */
};

void spgc_pacer_start(struct spgc_pacer *pacer, const struct spgc_options *options);

/* Constant; cycles are created with it. */
struct spgc_pace spgc_pacer_pace(void);

/* Bytes of the old space at which the next cycle begins, after a full marking that found
 * `live_bytes`, with a nursery of `nursery_blocks`. */
size_t spgc_pacer_target(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                         size_t nursery_blocks, size_t live_bytes);

/* The limit lets the old space grow by less than it should, or the old space takes half as much
 * again as it may grow to. */
bool spgc_pacer_needs_small_holes(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                                  const struct spgc_heap *heap, size_t nursery_blocks,
                                  size_t live_bytes);

/* Bytes in free blocks and holes beyond the reserve of the next cycle. */
size_t spgc_pacer_room(const struct spgc_limit *limit, const struct spgc_heap *heap,
                       size_t nursery_blocks, size_t live_bytes);

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

/* The old space has grown so much since the cycle's phase began that mutators should help. */
bool spgc_pacer_cycle_lags(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                           const struct spgc_heap *heap, const struct spgc_cycle *cycle);

/* Whether to collect before the nursery is full, because a final mark is due. Under the heap
 * lock. */
bool spgc_pacer_asks_for_final_mark(const struct spgc_heap *heap, const struct spgc_cycle *cycle);

/* The old space, with `nursery_blocks` more, stays below twice what it may grow to and half of the
 * limit, or has no holes. */
bool spgc_pacer_has_headroom(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                             const struct spgc_heap *heap, size_t nursery_blocks,
                             size_t live_bytes);

/* After each marking, and after each collection. */
void spgc_pacer_marked(struct spgc_pacer *pacer, const struct spgc_marking *marking);
void spgc_pacer_collected(struct spgc_pacer *pacer, const struct spgc_collected *collected);

#endif
