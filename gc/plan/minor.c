/* A minor collection. It makes two plans, for the nursery and for the marking of the old space, and
 * carries them out together. */
#include "gc/plan/collection.h"

#include "gc/policy/without.h"
#include "gc/state/runtime.h"
#include "gc/trace/promote.h"
#include "gc/weak/pin.h"
#include "gc/weak/weak_processing.h"
#include "heap/condemn.h"
#include "heap/remembered/buffers.h"
#include "support/clock.h"

/* ---- Decide ---- */

/* What the collection does for the marking of the old space. */
enum marking_plan {
  NO_MARKING,      /* none is under way, and none begins */
  BEGIN_MARKING,   /* begin one from the roots */
  GO_ON_MARKING,   /* one is under way: mark survivors and what cards refer to */
  TRY_FINAL_MARK,  /* end it if little is left to mark */
  MAKE_FINAL_MARK, /* end it, because memory is short */
};

struct marking_choice {
  enum marking_plan plan;
  const char *words; /* for the log */
};

static struct marking_choice plan_marking(const struct spgc_runtime *runtime) {
  const struct spgc_policy *policy = &runtime->policy;
  switch (runtime->cycle.phase) {
  case SPGC_CYCLE_IDLE:
    return spgc_policy_begins_cycle(policy, &runtime->cycle)
               ? (struct marking_choice){BEGIN_MARKING, "begin a marking: the old space has grown"}
               : (struct marking_choice){NO_MARKING, "no marking: the old space has grown little"};
  case SPGC_CYCLE_MARKING:
    return spgc_policy_is_tight(policy, &runtime->heap)
               ? (struct marking_choice){MAKE_FINAL_MARK, "end the marking: the limit is near"}
               : (struct marking_choice){GO_ON_MARKING, "go on marking: steps are left"};
  case SPGC_CYCLE_MARKED:
    return spgc_policy_is_tight(policy, &runtime->heap)
               ? (struct marking_choice){MAKE_FINAL_MARK, "end the marking: the limit is near"}
               : (struct marking_choice){TRY_FINAL_MARK, "try a final mark: no step is left"};
  case SPGC_CYCLE_SWEEPING: break;
  }
  return (struct marking_choice){NO_MARKING, "no marking: the last one is being swept"};
}

/* ---- Copy the nursery ---- */

static enum spgc_frames frames_with_young(const struct spgc_runtime *runtime) {
  return spgc_is_without(&runtime->options, SPGC_WITHOUT_WATERMARK) ? SPGC_FRAMES_ALL
                                                                    : SPGC_FRAMES_RESUMED;
}

/* Copies the survivors, and marks them if a marking is in progress. Fields in store buffers may be
 * any object's, and only a marked object's are read for a marking. */
static void copy_nursery(struct spgc_stopped_world world, bool ends_marking,
                         struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_cycle *cycle = &runtime->cycle;
  struct spgc_evacuation *evacuation = &collection->evacuation;
  spgc_condemn_nursery(&runtime->heap);
  spgc_evacuation_begin(evacuation, &runtime->heap, spgc_cycle_marker(cycle), NULL);
  evacuation->leaves_cards = spgc_cycle_leaves_cards(cycle, ends_marking);
  if (evacuation->marker != NULL && !evacuation->leaves_cards)
    spgc_remembered_open_cards(&runtime->heap);
  spgc_phases_evacuate(world, frames_with_young(runtime), collection, spgc_evacuation_scan_cards);
  collection->promoted_bytes = spgc_evacuation_promoted_bytes(evacuation);
  cycle->deferred_cards += evacuation->cards_read.all;
  collection->nursery = SPGC_NURSERY_COPIED;
}

/* Relabels the nursery's blocks. Returns whether the marking that is in progress, if any, should
 * go on. */
static enum spgc_marking_end promote_nursery(struct collection *collection) {
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_PROMOTE);
  spgc_remembered_open_cards(&spgc_runtime.heap);
  collection->promoted_bytes = spgc_promote_nursery(&spgc_runtime.heap);
  collection->nursery = SPGC_NURSERY_PROMOTED;
  return spgc_cycle_defer_cards(&spgc_runtime.cycle);
}

/* ---- The marking, when nothing is young ---- */

static void begin_marking(struct spgc_runtime *runtime) {
  struct spgc_cycle *cycle = &runtime->cycle;
  spgc_cycle_begin(cycle, !spgc_is_without(&runtime->options, SPGC_WITHOUT_STICKY_MARKS) &&
                              spgc_policy_marks_in_part(&runtime->policy, &runtime->heap, cycle));
}

static void mark_roots(struct spgc_stopped_world world) {
  struct spgc_marker *marker = &spgc_runtime.cycle.marker;
  const struct spgc_liveness liveness = spgc_marker_liveness(marker);
  spgc_roots_mark(world, marker);
  spgc_pins_mark(&liveness);
  spgc_weak_processing_keep_roots(&liveness);
}

static bool may_end_marking(enum marking_plan marking, uint64_t work_begun_ns) {
  if (marking != TRY_FINAL_MARK)
    return marking == MAKE_FINAL_MARK;
  uint64_t deadline_ns = spgc_nursery_final_mark_deadline(&spgc_runtime.policy.nursery,
                                                          work_begun_ns, spgc_clock_ns());
  return spgc_cycle_try_to_finish(&spgc_runtime.cycle, deadline_ns) == SPGC_MARKING_ENDS;
}

/* ---- The collection ---- */

void spgc_collect_minor(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_cycle *cycle = &runtime->cycle;
  struct marking_choice marking = plan_marking(runtime);
  const struct spgc_nursery_choice nursery =
      spgc_policy_choose_nursery(&runtime->policy, &runtime->heap, cycle->full_marking_live_bytes);
  collection->marking_plan = marking.words;
  collection->nursery_plan = nursery.words;

  if (nursery.plan == SPGC_COPY_NURSERY)
    copy_nursery(world, marking.plan == MAKE_FINAL_MARK, collection);
  else if (promote_nursery(collection) == SPGC_MARKING_GOES_ON && marking.plan == TRY_FINAL_MARK)
    marking.plan = GO_ON_MARKING;
  /* From here on nothing is young, so that cards matter to a marking alone. */
  if (marking.plan == BEGIN_MARKING)
    begin_marking(runtime);
  cycle->promoted_bytes += collection->promoted_bytes;
  if (marking.plan == NO_MARKING || marking.plan == GO_ON_MARKING)
    return;
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_ROOTS);
  mark_roots(world);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_MARK);
  if (may_end_marking(marking.plan, spgc_pause_work_begun_ns(&collection->pause))) {
    /* Where survival is expected, the next marking would find too little if it were partial. */
    spgc_phases_end_marking(collection, !runtime->policy.pacer.expects_survival);
    collection->outcome = SPGC_COLLECTED_FINAL_MARK;
  }
}
