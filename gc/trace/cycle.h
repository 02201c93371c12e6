/* The old space's cycle: marking and sweeping in steps, which a thread of the collector takes while
 * mutators run (gc/trace/cycle_thread.h), or mutators between allocations.
 *
 *   IDLE ----> MARKING ----> MARKED ----> SWEEPING ----> IDLE
 *    a minor    steps until   the next     steps, or a
 *    collection nothing       minor        block before
 *    begins it  waits         collection   it is read
 *                             ends it
 *
 * A cycle may mark in part: what was live at the last marking counts as live (gc/trace/mark.h). It
 * does so while most of what becomes old dies soon, until too much of what counts as live may be
 * dead, or too many cards are to be read.
 *
 * A full collection goes through all of it with the world stopped, and abandons a cycle under way.
 */
#ifndef SPGC_GC_TRACE_CYCLE_H
#define SPGC_GC_TRACE_CYCLE_H

#include "gc/trace/cycle_thread.h"
#include "gc/trace/mark.h"

enum spgc_phase {
  SPGC_PHASE_IDLE,
  SPGC_PHASE_MARKING,
  SPGC_PHASE_MARKED, /* nothing waits to be scanned since the last collection */
  SPGC_PHASE_SWEEPING,
};

struct spgc_cycle {
  struct spgc_cycle_thread thread;

  /* Written by whoever holds the cycle; `phase` may be looked at by others. */
  enum spgc_phase phase;
  struct spgc_marker marker;

  /* Written by collections, with the world stopped. */
  bool mutators_assist; /* they take steps */
  size_t owed_blocks;   /* allocated while they do, that nobody takes a step for yet: any thread */
  uint32_t final_mark_tries; /* so many collections found too much left to do */
  size_t promoted_bytes;     /* since the last cycle's marking ended */
  size_t begun_bytes; /* promoted_bytes when this phase began: before what the collection promoted
                         that began it */
  size_t live_bytes;  /* what that marking found, or took for live */
  size_t full_marking_live_bytes; /* what the last full marking found */
  size_t deferred_cards; /* since that marking ended; one that was dirtied repeatedly counts as
                            often */
};

/* What a marking found. */
struct spgc_marking {
  bool partial;
  size_t judged_bytes;   /* promoted since the marking before */
  size_t survived_bytes; /* of these, live ones; 0 after a full marking, which judges all alike */
};

/* `concurrent`: with a thread. False when the system refuses. */
bool spgc_cycle_create(struct spgc_cycle *cycle, struct spgc_heap *heap, bool concurrent);
void spgc_cycle_destroy(struct spgc_cycle *cycle);

/* A mutator took `blocks` to allocate in: when mutators help, does the shared worklist of work that
 * keeps the cycle ahead of allocation. The caller holds no lock, so that others allocate meanwhile.
 */
void spgc_cycle_assist(struct spgc_cycle *cycle, size_t blocks);

/* The caller holds the cycle afterwards: the cycle's thread waits, once it has ended its step. Not
 * by one thread twice. */
void spgc_cycle_hold(struct spgc_cycle *cycle);
void spgc_cycle_release(struct spgc_cycle *cycle);

/* In the child of a process that forked while the cycle was held. */
void spgc_cycle_release_in_child(struct spgc_cycle *cycle);

/* The functions below are for the thread that holds the cycle. */

/* Whether there is something to mark or to sweep. */
bool spgc_cycle_has_steps(const struct spgc_cycle *cycle);

/* What an allocation of `blocks` is to pay for. */
void spgc_cycle_take_step(struct spgc_cycle *cycle, size_t blocks);

/* At the end of a collection: `lags` tells that the old space grows too much before the steps are
 * taken. */
void spgc_cycle_arrange_assists(struct spgc_cycle *cycle, bool lags);

/* With the world stopped. A partial marking needs marks that were kept. */
void spgc_cycle_begin(struct spgc_cycle *cycle, bool partial);

/* The marker of the cycle under way, or NULL. */
struct spgc_marker *spgc_cycle_marker(struct spgc_cycle *cycle);

/* In a collection that has visited roots and cards with the marker: marks the rest and begins to
 * sweep. */
struct spgc_marking spgc_cycle_finish_marking(struct spgc_cycle *cycle, bool keeps_marks);

/* What became of the dirty cards when nothing is young. */
enum spgc_deferral {
  SPGC_CARDS_DEFERRED,  /* the steps to come scan them, if anything does */
  SPGC_ROOTS_ARE_NEEDED /* a marking has just begun, or it is worth while to try to end it in this
                           collection */
};

/* In a collection that leaves nothing condemned. */
enum spgc_deferral spgc_cycle_defer_cards(struct spgc_cycle *cycle, bool begins);

/* Whether a collection would end the marking, so that it should not be waited for until the nursery
 * is full. Any thread.
 */
static inline bool spgc_cycle_waits(const struct spgc_cycle *cycle) {
  return __atomic_load_n(&cycle->phase, __ATOMIC_RELAXED) == SPGC_PHASE_MARKED;
}

enum spgc_marking_end { SPGC_MARKING_ENDS, SPGC_MARKING_GOES_ON };

/* In such a collection, when nothing waited as it began: marks some of what it added, until about
 * `deadline_ns` by spgc_clock_ns. A marking that goes on is in its steps' hands again. */
enum spgc_marking_end spgc_cycle_try_to_finish(struct spgc_cycle *cycle, uint64_t deadline_ns);

/* Leaves the cycle idle and everything swept; a marking under way is forgotten. */
void spgc_cycle_settle(struct spgc_cycle *cycle);

#endif
