#include "gc/plan/collection.h"

#include "gc/policy/without.h"
#include "gc/state/runtime.h"
#include "heap/condemn.h"

/* ---- Copy the nursery ---- */

/* Marks the survivors if a marking is in progress. */
static void copy_nursery(struct spgc_stopped_world world, bool ends_marking,
                         struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_cycle *cycle = &runtime->cycle;
  struct spgc_evacuation *evacuation = &collection->evacuation;
  enum spgc_visited visited = spgc_is_without(&runtime->options, SPGC_WITHOUT_WATERMARK)
                                  ? SPGC_ALL_ROOTS
                                  : SPGC_CHANGED_ROOTS;
  spgc_condemn_nursery(&runtime->heap);
  spgc_evacuation_begin(evacuation, &runtime->heap, spgc_cycle_marker(cycle), NULL);
  evacuation->leaves_cards = spgc_cycle_leaves_cards(cycle, ends_marking);
  spgc_phases_evacuate(world, visited, collection, spgc_evacuation_scan_cards);
  collection->promoted_bytes = spgc_evacuation_promoted_bytes(evacuation);
  cycle->deferred_cards += evacuation->cards_read;
  collection->nursery = SPGC_NURSERY_COPIED;
}

/* Returns whether a marking in progress should continue. */
static enum spgc_marking_end promote_nursery(struct collection *collection) {
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_PROMOTE);
  collection->promoted_bytes = spgc_promote_nursery(&spgc_runtime.heap);
  collection->nursery = SPGC_NURSERY_PROMOTED;
  return spgc_cycle_defer_cards(&spgc_runtime.cycle);
}

/* ---- The marking, when nothing is young ---- */

static void begin_marking(struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_cycle *cycle = &runtime->cycle;
  if (cycle->phase == SPGC_CYCLE_SWEEPING) {
    spgc_pause_enter(&collection->pause, SPGC_PAUSE_FREE);
    spgc_cycle_settle(cycle);
  }
  bool is_partial = !spgc_is_without(&runtime->options, SPGC_WITHOUT_STICKY_MARKS) &&
                    spgc_policy_marks_in_part(&runtime->policy, &runtime->heap, cycle);
  bool room_is_short = spgc_policy_room_is_short(&runtime->policy, &runtime->heap, cycle);
  size_t known_bytes = cycle->live_bytes + cycle->promoted_bytes + collection->promoted_bytes;
  if (spgc_policy_compacts(&runtime->policy, &runtime->heap, known_bytes, room_is_short)) {
    struct spgc_compaction_work work = spgc_policy_compaction_work(&runtime->policy);
    work.takes_filled |= room_is_short && !is_partial;
    if (spgc_recorded_open(&runtime->heap.recorded))
      spgc_candidates_choose(&runtime->heap, &work);
  }
  spgc_cycle_begin(cycle, is_partial && runtime->heap.candidate_blocks == 0);
}

static bool may_end_marking(enum spgc_marking_plan marking, uint64_t work_begun_ns) {
  if (marking != SPGC_TRY_FINAL_MARK)
    return marking == SPGC_MAKE_FINAL_MARK;
  uint64_t deadline_ns =
      spgc_nursery_final_mark_deadline(&spgc_runtime.policy.nursery, work_begun_ns);
  return spgc_cycle_try_to_finish(&spgc_runtime.cycle, deadline_ns) == SPGC_MARKING_ENDS;
}

/* ---- Compact ---- */

static size_t condemn_candidates(struct spgc_runtime *runtime) {
  const struct spgc_compaction_work work = spgc_policy_compaction_work(&runtime->policy);
  return spgc_condemn_candidates(&runtime->heap, &work, spgc_free_for_copies());
}

/* The marking has ended: `live` of the candidates is exact, and all references into them are
 * recorded. */
static void compact(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  uint64_t moved_bytes = collection->evacuation.moved_bytes;
  size_t condemned_bytes = condemn_candidates(runtime);
  if (condemned_bytes != 0)
    spgc_phases_vacate(world, collection, condemned_bytes, spgc_evacuation_scan_recorded);
  collection->compacted_bytes = collection->evacuation.moved_bytes - moved_bytes;
  spgc_compaction_forget(&runtime->cycle.marker);
}

/* ---- The collection ---- */

void spgc_collect_minor(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_cycle *cycle = &runtime->cycle;
  enum spgc_marking_plan marking = collection->decision.marking;
  if (collection->decision.nursery == SPGC_COPY_NURSERY)
    copy_nursery(world, marking == SPGC_MAKE_FINAL_MARK, collection);
  else if (promote_nursery(collection) == SPGC_MARKING_GOES_ON && marking == SPGC_TRY_FINAL_MARK)
    marking = SPGC_CONTINUE_MARKING;
  /* Nothing is young, so cards matter only to a marking. */
  if (marking == SPGC_BEGIN_MARKING)
    begin_marking(collection);
  cycle->promoted_bytes += collection->promoted_bytes;
  if (marking == SPGC_NO_MARKING || marking == SPGC_CONTINUE_MARKING)
    return;
  spgc_phases_mark_roots(world, collection);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_MARK);
  if (may_end_marking(marking, spgc_pause_work_begun_ns(&collection->pause))) {
    /* While survival is expected, a partial marking finds too little. */
    spgc_phases_end_marking(collection, !runtime->policy.nursery.expects_survival);
    compact(world, collection);
    collection->outcome = SPGC_COLLECTED_FINAL_MARK;
  }
}
