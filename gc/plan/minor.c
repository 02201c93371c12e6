#include "gc/plan/collection.h"

#include "gc/policy/without.h"
#include "gc/state/runtime.h"
#include "heap/condemn.h"

static void begin_marking(struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_cycle *cycle = &runtime->cycle;
  if (cycle->phase == SPGC_CYCLE_SWEEPING) {
    spgc_pause_enter(&collection->pause, SPGC_PAUSE_FREE);
    spgc_cycle_settle(cycle);
  }
  bool is_partial = !spgc_is_without(&runtime->options, SPGC_WITHOUT_STICKY_MARKS) &&
                    spgc_pacer_marks_in_part(&runtime->policy, &runtime->heap, cycle);
  bool room_is_short = spgc_pacer_room_is_short(&runtime->policy, &runtime->heap, cycle);
  size_t known_bytes = cycle->live_bytes + cycle->promoted_bytes + collection->promoted_bytes;
  if (spgc_policy_compacts(&runtime->policy, &runtime->heap, known_bytes, room_is_short)) {
    struct spgc_compaction_work work = spgc_policy_compaction_work(&runtime->policy);
    work.takes_filled |= room_is_short && !is_partial;
    spgc_candidates_choose(&runtime->heap, &work);
  }
  spgc_cycle_begin(cycle, is_partial && runtime->heap.candidate_blocks == 0);
}

/* The marking has ended: `live` of the candidates is exact, and all references into them are
 * recorded. */
static void compact(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  const struct spgc_compaction_work work = spgc_policy_compaction_work(&runtime->policy);
  uint64_t moved_bytes = collection->evacuation.moved_bytes;
  size_t condemned_bytes = spgc_condemn_candidates(&runtime->heap, &work, spgc_free_for_copies());
  if (condemned_bytes != 0)
    spgc_phases_vacate(world, collection, condemned_bytes, spgc_evacuation_scan_recorded);
  collection->compacted_bytes = collection->evacuation.moved_bytes - moved_bytes;
  spgc_compaction_forget(&runtime->cycle.marker);
}

void spgc_collect_minor(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_cycle *cycle = &runtime->cycle;
  struct spgc_pause *pause = &collection->pause;
  enum spgc_marking_plan marking = collection->decision.marking;
  if (collection->decision.nursery == SPGC_COPY_NURSERY) {
    spgc_phases_copy_nursery(world, collection,
                             spgc_cycle_leaves_cards(cycle, marking == SPGC_MAKE_FINAL_MARK));
    cycle->deferred_cards += collection->evacuation.cards_read;
  } else {
    spgc_pause_enter(pause, SPGC_PAUSE_PROMOTE);
    collection->promoted_bytes = spgc_promote_nursery(&runtime->heap);
    collection->nursery = SPGC_NURSERY_PROMOTED;
    if (spgc_cycle_defer_cards(cycle) == SPGC_MARKING_GOES_ON && marking == SPGC_TRY_FINAL_MARK)
      marking = SPGC_CONTINUE_MARKING;
  }
  /* Nothing is young, so cards matter only to a marking. */
  if (marking == SPGC_BEGIN_MARKING)
    begin_marking(collection);
  cycle->promoted_bytes += collection->promoted_bytes;
  if (marking == SPGC_NO_MARKING || marking == SPGC_CONTINUE_MARKING)
    return;
  spgc_phases_mark_roots(world, collection);
  spgc_pause_enter(pause, SPGC_PAUSE_MARK);
  uint64_t deadline_ns =
      spgc_nursery_final_mark_deadline(&runtime->policy.nursery, spgc_pause_work_begun_ns(pause));
  if (marking == SPGC_BEGIN_MARKING ||
      (marking == SPGC_TRY_FINAL_MARK &&
       spgc_cycle_try_to_finish(cycle, deadline_ns) == SPGC_MARKING_GOES_ON))
    return;
  /* While survival is expected, a partial marking finds too little. */
  spgc_phases_end_marking(collection, !runtime->policy.nursery.expects_survival);
  compact(world, collection);
  collection->outcome = SPGC_COLLECTED_FINAL_MARK;
}
