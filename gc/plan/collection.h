/* A collection in progress, its plans, and the phases they share (docs/collections.md, "Where to
 * look"). */
#ifndef SPGC_GC_PLAN_COLLECTION_H
#define SPGC_GC_PLAN_COLLECTION_H

#include "gc/events/events.h"
#include "gc/mutator/world.h"
#include "gc/plan/decide.h"
#include "gc/roots/roots.h"
#include "gc/trace/evacuate.h"
#include "spgc/stackwalk.h"
#include "support/clock.h"

/* How long a collection and each of its parts take.
 *
 *   asked ---- stopped ------------------------------------------------------ end
 *        STOP          HOLD | PREPARE | PROMOTE | ROOTS | CARDS | COPY | ... (spgc_pause_enter)
 *
 *   sum of the parts == end - asked
 *   pause == end - stopped; it does not contain STOP
 *
 * A second collection in the same stop has its own pause. */
struct spgc_pause {
  uint64_t number;
  uint64_t stop_ns;
  uint64_t begun_ns;          /* by CLOCK_MONOTONIC */
  uint64_t since_ns;          /* when `part` was entered */
  uint64_t work_begun_cpu_ns; /* the collecting thread's processor time */
  enum spgc_pause_part part;
  uint64_t part_ns[SPGC_PAUSE_PART_PLACES];
};

static inline void spgc_pause_begin(struct spgc_pause *pause, uint64_t number,
                                    struct spgc_stopped_world world) {
  uint64_t now = spgc_clock_ns();
  *pause = (struct spgc_pause){.number = number,
                               .stop_ns = world.stopped_ns - world.asked_ns,
                               .begun_ns = now,
                               .since_ns = now,
                               .part = SPGC_PAUSE_HOLD};
  pause->part_ns[SPGC_PAUSE_STOP] = pause->stop_ns;
}

static inline void spgc_pause_enter(struct spgc_pause *pause, enum spgc_pause_part part) {
  uint64_t now = spgc_clock_ns();
  pause->part_ns[pause->part] += now - pause->since_ns;
  SPGC_TELL(pause_part, spgc_pause_part_event, .number = pause->number, .part = pause->part,
            .begin_ns = pause->since_ns, .end_ns = now);
  pause->since_ns = now;
  pause->part = part;
}

/* After waiting and verification; by spgc_clock_ns. */
static inline uint64_t spgc_pause_work_begun_ns(const struct spgc_pause *pause) {
  return pause->begun_ns + pause->part_ns[SPGC_PAUSE_HOLD] + pause->part_ns[SPGC_PAUSE_VERIFY];
}

static inline void spgc_pause_begin_work(struct spgc_pause *pause) {
  spgc_pause_enter(pause, SPGC_PAUSE_PREPARE);
  pause->work_begun_cpu_ns = spgc_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

/* With elapsed time the nursery's size would depend on other load. */
static inline uint64_t spgc_pause_work_cpu_ns(const struct spgc_pause *pause) {
  return spgc_clock_read(CLOCK_THREAD_CPUTIME_ID) - pause->work_begun_cpu_ns;
}

struct collection {
  uint64_t number; /* since spgc_start, from 1 */
  uint64_t thread;
  enum spgc_reason reason;
  enum spgc_collection kind; /* requested */
  enum spgc_outcome outcome;
  enum spgc_nursery_outcome nursery;
  struct spgc_decision decision;
  uint32_t blocks_before;               /* in use at the beginning */
  uint32_t old_before;                  /* of which are old; without large objects */
  size_t nursery_before, target_before; /* bytes, as the policies chose last */
  size_t young_bytes;
  size_t born_old_bytes;
  size_t promoted_bytes;
  struct spgc_parallelism parallelism; /* for which memory is prepared */
  struct spgc_pause pause;
  struct spgc_evacuation evacuation;
  struct spgc_walk_counts walk;
  uint64_t roots_cpu_ns;                   /* of the last evacuation */
  size_t compacted_bytes, relocated_bytes; /* of those that its evacuation moved */
};

/* Collects the nursery, and does the pause's part of the marking in progress. */
void spgc_collect_minor(struct spgc_stopped_world world, struct collection *collection);

/* Collects everything, in place if that is the outcome. */
void spgc_collect_full(struct spgc_stopped_world world, struct collection *collection);

/* Collects everything by copying it: move=always. */
void spgc_collect_moving_all(struct spgc_stopped_world world, struct collection *collection);

/* Prepares the workers' stacks, and blocks for their PLABs on top of `copies`. */
void spgc_phases_prepare_workers(struct collection *collection, size_t copies);

/* `scan_others` scans the old objects that may refer to condemned ones; NULL if every object is
 * condemned. */
void spgc_phases_evacuate(struct spgc_stopped_world world, enum spgc_visited visited,
                          struct collection *collection,
                          void (*scan_others)(struct spgc_evacuation *evacuation));

/* With the marker of a marking in progress. `leaves_cards`: see spgc_cycle_leaves_cards. */
void spgc_phases_copy_nursery(struct spgc_stopped_world world, struct collection *collection,
                              bool leaves_cards);

void spgc_phases_mark_roots(struct spgc_stopped_world world, struct collection *collection);

/* Ends a marking after the marker's visit of roots and cards. Nothing is young. */
void spgc_phases_end_marking(struct collection *collection, bool keeps_marks);

/* After a marking and before the sweep, moves objects out of condemned old blocks, with blocks
 * prepared for `bytes` of copies. If marks are kept, the copies are marked, as everything reachable
 * is. */
void spgc_phases_vacate(struct spgc_stopped_world world, struct collection *collection,
                        size_t bytes, void (*scan_others)(struct spgc_evacuation *evacuation));

size_t spgc_free_for_copies(void);

/* Reports once if a collection that no call requested finds objects but no root. */
void spgc_tell_if_rootless(struct spgc_stopped_world world, const struct collection *collection);

/* Under verify=full, aborts unless heap and roots are consistent. `when` is "before" or "after". */
void spgc_verify_if_asked(struct spgc_stopped_world world, const char *when);

void spgc_report(struct collection *collection);

#endif
