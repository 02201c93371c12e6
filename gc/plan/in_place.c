/* Collects in place: the limit or the system leaves no room for copies (docs/collections.md). */
#include "gc/plan/collection.h"

#include "gc/state/runtime.h"
#include "gc/trace/promote.h"
#include "heap/remembered/scan.h"

void spgc_collect_in_place(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_FREE);
  spgc_cycle_settle(&runtime->cycle);
  collection->promoted_bytes = spgc_promote_nursery(&runtime->heap);
  collection->nursery = SPGC_NURSERY_PROMOTED;
  spgc_cards_retire_all(&runtime->heap, SPGC_CARD_CLEAN);
  spgc_phases_mark(world, collection);
  spgc_policy_note_refusal(&runtime->policy, &runtime->heap);
  spgc_phases_make_room(world, collection);
}
