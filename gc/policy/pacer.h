/* The pacing of the old space: when its next cycle begins, how it marks, and when mutators help.
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
 * growth is the option's. The default is 150 percent while survival is expected
 * (gc/policy/nursery.h), because copies take no memory then and holes are filled. Otherwise it is
 * 100: proportional growth, as Go's GOGC and its default have it ("A Guide to the Go Garbage
 * Collector": target = live + (live + roots) * GOGC / 100). The square-root rule of MemBalancer
 * (Kirisame, Shenoy and Panchekha, "Optimal heap limits for reducing browser memory use", OOPSLA
 * 2022) is not used, because it needs rates by a clock, and runs would not repeat by their seed.
 * The price is that a slowly allocating program gets as much as a fast one.
 *
 * Once a sixth of the growth was promoted since the last cycle, the next one begins early for two
 * reasons:
 *
 *   fragmented   the blocks of the old space, holes included, take more than it may grow to if the
 *                limit is far: the cycle compacts (gc/policy/compaction.h). `frag 64`, a cache of
 *                64 MiB whose entries change their sizes, takes 215 to 240 MB then, and 310 without
 *                this rule
 *   short        room < reserve, even while the last marking is being swept, because a mutator can
 *                fill holes as fast as they are found
 *
 *   room     =  limit - used + holes
 *   reserve  =  min(whole / 4 + nursery + copies(nursery), (limit - whole) / 2)
 *
 * While a marking runs, the program allocates a sixth of what is live (below), in holes and free
 * blocks; a quarter allows for what is allocated before mutators help. The nursery is the one until
 * the next collection, at which the cycle could begin, with its copies (gc/policy/limit.h). Splay
 * trees with twice the live bytes as their limit (W4 with 53 MiB) take 180 markings and 7 s of
 * processor time with this rule. With three nurseries and half of the rest set aside they took 280
 * and 10.6 s.
 *
 * Old objects may die without any growth: a program that drops a table, and whose other objects die
 * young, would keep the table's memory for good. So doubt grows with allocation:
 *
 *   allocated  bytes since a full marking ended, less 16 for each that survived: where much is
 *              promoted, growth begins cycles soon enough
 *   doubt      32 MiB; four times as much after each marking in vain: it ended in doubt, and found
 *              three quarters of what was believed to live alive; 32 MiB again when half as much
 *              again lives as the last one in vain found
 *
 * A program whose old space stays alive marks it in vain a few times: 5 times while it allocates 10
 * GiB.
 *
 * Mutators help a cycle when
 *
 *   promoted since its phase began  >  allowance / 16   or / 2, from 512 MiB of allowance on
 *   allowance  =  min(max(growth * live, 64 MiB), free)
 *
 * that is, when a sixteenth of what the cycle may take is used: the mark assist of Go's pacer
 * (Clements, "Go 1.5 concurrent garbage collector pacing", 2015). The ratio of work to allocation
 * is fixed, as in Baker's collector, which traces k cells for each one that is allocated ("List
 * processing in real time on a serial computer", CACM 21(4), 1978):
 *
 *   marked  =  6 * allocated bytes       a marking ends before the program has allocated a sixth
 *                                        of what is live
 *   swept   =  4 * allocated blocks      a sweep, before it has allocated a quarter of the heap
 *
 * A mutator that marks six bytes for each that it allocates hardly runs, and it takes turns with
 * the cycle's thread. Where much lives that lasts: a program with a gigabyte alive stalled for 40
 * ms when its marking, of 1.5 s, lagged by little. So such cycles get time until half is used.
 *
 * Mutators assist for four blocks together, because holding the cycle and waking its thread has a
 * cost.
 *
 * A final mark is due when a marking has nothing left to do in steps. It may take the rest of the
 * pause (gc/policy/nursery.h).
 *
 *   asked for     when the nursery has 8 blocks: a collection of less frees too little for the
 *                 stop that it takes. After each try in vain, half as many do, at least one: the
 *                 program has less time to leave the marking more work
 *   tried         always after copying; after promotion in place when at most 49,152 cards are
 *                 deferred, because it has to visit all roots for that. The steps of a try read a
 *                 third of those at most. While they do, the program dirties none, so that less is
 *                 left for the next try
 *   put off       after 8 steps of 256 KiB: 2 MiB of marking fit a pause. The marking goes on
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
 * With binary trees of depth 20 partial markings took the processor time of a run from 4.7 s to 3.2
 * to 3.5 s, because a third of it had been to mark the same old tree again.
 *
 * The constants trade memory for work; docs/performance.md, "Policy constants", has what half and
 * twice of each does. With 16 MiB instead of 32 two workloads mark about twice as often for a
 * quarter less memory, with 64 MiB half as often for half as much memory again. */
#ifndef SPGC_GC_POLICY_PACER_H
#define SPGC_GC_POLICY_PACER_H

#include "gc/policy/collected.h"
#include "gc/policy/limit.h"
#include "gc/trace/cycle.h"
#include "support/backoff.h"

enum {
  SPGC_GROWTH = 100,            /* percent of the live bytes: the default */
  SPGC_GREATEST_GROWTH = 10000, /* percent */
};

struct spgc_pacer {
  uint32_t growth;          /* percent, or SPGC_GROWTH_TO_LIMIT; constant */
  uint32_t survival_growth; /* while survival is expected; constant */
  bool expects_survival;    /* from the nursery's policy: each collection */
  size_t recent_bytes;      /* live lately: each collection that ends a marking */
  size_t allocated_bytes;   /* since a full marking ended: each collection */
  size_t doubt_bytes;       /* allocated before doubt begins a cycle: each full marking */
  size_t doubted_bytes;     /* found alive by the last marking in vain; or 0 */
  struct spgc_backoff
      full_markings; /* an opportunity is a marking that could be partial: each marking */
};

void spgc_pacer_start(struct spgc_pacer *pacer, const struct spgc_options *options);

/* The size of a cycle's steps. Constant; cycles are created with it. */
struct spgc_pace spgc_pacer_pace(void);

/* Bytes that the old space may have when the next cycle begins, after a full marking that found
 * `live_bytes`, in addition to a nursery of `nursery_blocks`. */
size_t spgc_pacer_target(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                         size_t nursery_blocks, size_t live_bytes);

/* Whether small holes should also be filled: the limit lets the old space grow by less than it
 * should, or the old space takes half as much again as it may grow to. */
bool spgc_pacer_needs_small_holes(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                                  const struct spgc_heap *heap, size_t nursery_blocks,
                                  size_t live_bytes);

/* Bytes in free blocks and holes beyond the reserve of the next cycle, with nurseries of
 * `nursery_blocks`, after a full marking that found `live_bytes`. */
size_t spgc_pacer_room(const struct spgc_limit *limit, const struct spgc_heap *heap,
                       size_t nursery_blocks, size_t live_bytes);

/* Whether only the reserve is left for the next cycle, which has something to find. */
bool spgc_pacer_room_is_short(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                              const struct spgc_heap *heap, const struct spgc_cycle *cycle,
                              size_t nursery_blocks);

/* Whether the old space has grown enough since the last cycle. */
bool spgc_pacer_begins_cycle(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                             const struct spgc_heap *heap, const struct spgc_cycle *cycle,
                             size_t nursery_blocks);

/* Whether the next cycle should mark only in part. */
bool spgc_pacer_marks_in_part(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                              const struct spgc_heap *heap, const struct spgc_cycle *cycle,
                              size_t nursery_blocks);

/* Whether the old space has grown so much since the cycle's phase began that mutators should help
 * to end it. */
bool spgc_pacer_cycle_lags(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                           const struct spgc_heap *heap, const struct spgc_cycle *cycle);

/* Whether to collect before the nursery is full, because a final mark is due. Under the heap
 * lock. */
bool spgc_pacer_asks_for_final_mark(const struct spgc_heap *heap, const struct spgc_cycle *cycle);

/* Whether the old space may take `nursery_blocks` without filling its holes: it stays below twice
 * what it may grow to and half of the limit, or has no holes. */
bool spgc_pacer_has_headroom(const struct spgc_pacer *pacer, const struct spgc_limit *limit,
                             const struct spgc_heap *heap, size_t nursery_blocks,
                             size_t live_bytes);

/* Called after each marking, and after each collection. */
void spgc_pacer_marked(struct spgc_pacer *pacer, const struct spgc_marking *marking);
void spgc_pacer_collected(struct spgc_pacer *pacer, const struct spgc_collected *collected);

#endif
