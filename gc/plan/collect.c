/* A collection: decide, carry out a plan (minor.c, full.c), inform the policies, report. */
#include "gc/plan/collection.h"

#include "gc/policy/without.h"
#include "gc/state/runtime.h"
#include "gc/weak/finalizer.h"
#include "gc/weak/pin.h"
#include "gc/weak/weak_processing.h"
#include "heap/blocks.h"
#include "heap/condemn.h"
#include "heap/remembered/buffers.h"
#include "support/clock.h"
#include "support/min_max.h"

/* Copies may use reserves: condemned blocks become free, except those with pins. */
size_t spgc_free_for_copies(void) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  const struct spgc_limit *limit = &spgc_runtime.policy.limit;
  return spgc_pins_exist() ? spgc_limit_unreserved_blocks(limit, heap)
                           : spgc_limit_free_blocks(limit, heap);
}

/* PLABs must not use the out-of-memory hooks' reserves. */
void spgc_phases_prepare_workers(struct collection *collection, size_t copies) {
  struct spgc_heap *heap = &spgc_runtime.heap;
  struct spgc_parallelism parallelism = spgc_runtime.parallelism;
  size_t blocks = spgc_limit_unreserved_blocks(&spgc_runtime.policy.limit, heap);
  size_t most = copies < blocks ? (blocks - copies) / SPGC_PLABS : 0;
  uint32_t wanted = (uint32_t)spgc_min(parallelism.extra_workers, most);
  while (wanted != 0 && !spgc_blocks_prepare(heap, copies + (size_t)SPGC_PLABS * wanted))
    wanted--;
  parallelism.extra_workers = 0;
  while (parallelism.extra_workers < wanted &&
         spgc_worklist_provide(&heap->workers[parallelism.extra_workers + 1].stack))
    parallelism.extra_workers++;
  collection->parallelism = parallelism;
}

/* Prepares for the worst case: an evacuation must complete. */
static enum spgc_copies prepare_copies(struct collection *collection) {
  struct spgc_heap *heap = &spgc_runtime.heap;
  size_t moving = collection->young_bytes;
  if (spgc_runtime.options.move == SPGC_MOVE_ALWAYS)
    moving += (size_t)heap->old_blocks * SPGC_BLOCK_BYTES;
  size_t copies = spgc_blocks_for_evacuation(moving);
  bool admitted = copies <= spgc_free_for_copies();
  if (admitted && spgc_blocks_prepare(heap, copies)) {
    spgc_phases_prepare_workers(collection, copies);
    return SPGC_COPIES_GRANTED;
  }
  SPGC_TELL(blocks_refused, spgc_blocks_refused_event, .bytes = copies * SPGC_BLOCK_BYTES,
            .by = admitted ? SPGC_REFUSED_BY_SYSTEM : SPGC_REFUSED_BY_LIMIT, .for_copies = true,
            .ns = spgc_clock_ns());
  return admitted ? SPGC_COPIES_REFUSED_BY_SYSTEM : SPGC_COPIES_REFUSED_BY_LIMIT;
}

static void decide(struct collection *collection) {
  const struct spgc_runtime *runtime = &spgc_runtime;
  const struct spgc_policy *policy = &runtime->policy;
  const struct spgc_heap *heap = &runtime->heap;
  const struct spgc_cycle *cycle = &runtime->cycle;
  const enum spgc_copies copies = prepare_copies(collection);
  const struct spgc_situation situation = {
      .kind = collection->kind,
      .moves_all = runtime->options.move == SPGC_MOVE_ALWAYS,
      .copies = copies,
      .has_born_old = collection->born_old_bytes != 0,
      .expects_survival = spgc_nursery_expects_survival(&policy->nursery),
      .is_oversized = spgc_nursery_is_oversized(&policy->nursery, heap),
      .is_half_full = spgc_nursery_is_half_full(&policy->nursery, heap),
      .has_headroom = spgc_pacer_has_headroom(policy, heap, heap->nursery.count,
                                              cycle->full_marking_live_bytes),
      .phase = cycle->phase,
      .room_is_short = spgc_pacer_room_is_short(policy, heap, cycle),
      .has_grown = spgc_pacer_begins_cycle(policy, heap, cycle),
      .limit_is_near = spgc_limit_is_near(&policy->limit, heap, policy->nursery.budget_blocks)};
  collection->decision = spgc_decide(&situation);
  collection->outcome = collection->decision.outcome;
}

static void carry_out(struct spgc_stopped_world world, struct collection *collection) {
  if (!collection->decision.reads_stores)
    spgc_remembered_open_cards(&spgc_runtime.heap);
  switch (collection->outcome) {
  case SPGC_COLLECTED_MINOR:
  case SPGC_COLLECTED_FINAL_MARK: spgc_collect_minor(world, collection); break;
  case SPGC_COLLECTED_IN_PLACE: spgc_collect_full(world, collection); break;
  case SPGC_COLLECTED_FULL:
    if (spgc_runtime.options.move == SPGC_MOVE_ALWAYS)
      spgc_collect_moving_all(world, collection);
    else
      spgc_collect_full(world, collection);
  }
}

void spgc_phases_evacuate(struct spgc_stopped_world world, enum spgc_visited visited,
                          struct collection *collection,
                          void (*scan_others)(struct spgc_evacuation *evacuation)) {
  struct spgc_evacuation *evacuation = &collection->evacuation;
  struct spgc_pause *pause = &collection->pause;
  spgc_evacuation_engage(evacuation, &collection->parallelism);
  const struct spgc_liveness liveness =
      spgc_evacuation_liveness(evacuation, scan_others != spgc_evacuation_scan_cards);

  spgc_pause_enter(pause, SPGC_PAUSE_ROOTS);
  uint64_t roots_begun_ns = spgc_clock_read(CLOCK_THREAD_CPUTIME_ID);
  spgc_pins_hold(evacuation, &liveness);
  /* From here on until the evacuation ends, headers of condemned objects may be forwarding
   * addresses: nobody may read a type without checking for one. */
  spgc_roots_forward(world, visited, evacuation, &collection->walk);
  spgc_finalizers_keep(&liveness);
  collection->roots_cpu_ns = spgc_clock_read(CLOCK_THREAD_CPUTIME_ID) - roots_begun_ns;

  spgc_pause_enter(pause, SPGC_PAUSE_CARDS);
  if (scan_others != NULL)
    scan_others(evacuation);

  spgc_pause_enter(pause, SPGC_PAUSE_COPY);
  spgc_evacuation_drain(evacuation);
  /* From here on no strong reference reaches a condemned object that has not moved. Weak processing
   * may still keep it. */
  spgc_pause_enter(pause, SPGC_PAUSE_WEAK);
  spgc_weak_processing_run(&liveness);
  spgc_pins_release(&spgc_runtime.heap, evacuation->marker);

  spgc_pause_enter(pause, SPGC_PAUSE_FREE);
  spgc_evacuation_end(evacuation);
  /* No slot, root or table refers to a condemned block. */
  spgc_blocks_free_condemned(&spgc_runtime.heap);
}

void spgc_phases_copy_nursery(struct spgc_stopped_world world, struct collection *collection,
                              bool leaves_cards) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_evacuation *evacuation = &collection->evacuation;
  struct spgc_marker *marker = &runtime->cycle.marker;
  enum spgc_visited visited = spgc_is_without(&runtime->options, SPGC_WITHOUT_WATERMARK)
                                  ? SPGC_ALL_ROOTS
                                  : SPGC_CHANGED_ROOTS;
  spgc_condemn_nursery(&runtime->heap);
  spgc_evacuation_begin(evacuation, &runtime->heap, marker->active ? marker : NULL, NULL);
  evacuation->leaves_cards = leaves_cards;
  spgc_phases_evacuate(world, visited, collection, spgc_evacuation_scan_cards);
  collection->promoted_bytes = spgc_evacuation_promoted_bytes(evacuation);
}

void spgc_phases_mark_roots(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_marker *marker = &spgc_runtime.cycle.marker;
  const struct spgc_liveness liveness = spgc_marker_liveness(marker);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_ROOTS);
  spgc_roots_mark(world, marker);
  spgc_pins_mark(&liveness);
  spgc_finalizers_keep(&liveness);
}

void spgc_phases_end_marking(struct collection *collection, bool keeps_marks) {
  struct spgc_cycle *cycle = &spgc_runtime.cycle;
  const struct spgc_liveness liveness = spgc_marker_liveness(&cycle->marker);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_MARK);
  spgc_marker_drain(&cycle->marker);
  /* From here on no strong reference reaches an old object without a mark. */
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_WEAK);
  spgc_weak_processing_run(&liveness);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_FREE);
  const struct spgc_marking marking = spgc_cycle_finish_marking(cycle, keeps_marks);
  spgc_pacer_marked(&spgc_runtime.policy.pacer, &marking);
}

/* They choose what happens until the next collection. */
static void tell_policies(struct spgc_stopped_world world, const struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  uint32_t old_blocks = runtime->heap.old_blocks, old_before = collection->old_before;
  const struct spgc_collected collected = {
      .full = collection->outcome != SPGC_COLLECTED_MINOR,
      .asked_full = collection->outcome == SPGC_COLLECTED_FULL ||
                    collection->outcome == SPGC_COLLECTED_IN_PLACE,
      .called = collection->reason == SPGC_REASON_CALL,
      .partial = runtime->cycle.marker.partial,
      .reason = collection->reason,
      .last_resort =
          collection->kind == SPGC_COLLECTION_FULL && collection->reason == SPGC_REASON_LIMIT,
      .promoted = collection->nursery == SPGC_NURSERY_PROMOTED,
      .blocks_before = collection->blocks_before,
      .marking = runtime->cycle.marker.active,
      .condemned_bytes = collection->young_bytes,
      .born_old_bytes = collection->born_old_bytes,
      .moved_objects = collection->evacuation.moved_objects,
      .moved_bytes = collection->evacuation.moved_bytes - collection->compacted_bytes -
                     collection->relocated_bytes,
      .grown_bytes =
          old_blocks > old_before ? (size_t)(old_blocks - old_before) * SPGC_BLOCK_BYTES : 0,
      .cards_read = collection->evacuation.cards_read,
      .roots_ns = collection->roots_cpu_ns,
      .pause_ns = spgc_pause_work_cpu_ns(&collection->pause),
      .begun_ns = spgc_pause_work_begun_ns(&collection->pause),
      .ended_ns = spgc_clock_ns(),
      .live_bytes = runtime->cycle.full_marking_live_bytes,
      .old_bytes = runtime->cycle.live_bytes + runtime->cycle.promoted_bytes};
  spgc_policy_collected(&runtime->policy, &runtime->heap, &collected);
  size_t used = runtime->heap.used_blocks, before = collection->blocks_before;
  spgc_world_refill_reserves(world, before > used ? before - used : 0);
  spgc_cycle_arrange_steps(&runtime->cycle,
                           spgc_policy_steps(&runtime->policy, &runtime->heap, &runtime->cycle));
}

static void begin(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  collection->blocks_before = runtime->heap.used_blocks;
  collection->old_before = runtime->heap.old_blocks;
  collection->nursery_before = runtime->policy.nursery.budget_blocks * SPGC_BLOCK_BYTES;
  collection->target_before =
      spgc_pacer_target(&runtime->policy, runtime->cycle.full_marking_live_bytes);
  /* A profile that is being written reads it. */
  __atomic_store_n(&runtime->heap.collection, runtime->heap.collection + 1, __ATOMIC_RELAXED);
  SPGC_TELL(collection_begin, spgc_collection_begin_event, .number = collection->number,
            .thread = collection->thread, .asked_ns = world.asked_ns,
            .stopped_ns = world.stopped_ns, .reason = collection->reason, .kind = collection->kind,
            .heap_bytes = (uint64_t)collection->blocks_before * SPGC_BLOCK_BYTES);
}

/* Afterwards every block of the nursery is walkable, and no mutator has one. */
static void take_nursery(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_heap *heap = &runtime->heap;
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    spgc_tlab_retire_all(&mutator->tlab);
  collection->born_old_bytes = heap->born_old_bytes;
  runtime->cycle.promoted_bytes += heap->born_old_bytes;
  heap->born_old_bytes = 0;
  for (uint32_t i = heap->nursery.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    collection->young_bytes += heap->blocks[i].top;
}

void spgc_collect_stopped(struct spgc_stopped_world world, enum spgc_collection kind,
                          enum spgc_reason reason) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct collection collection = {.number = runtime->statistics.collections + 1,
                                  .thread = world.stopper,
                                  .reason = reason,
                                  .kind = kind};
  struct spgc_pause *pause = &collection.pause;
  spgc_pause_begin(pause, collection.number, world);
  /* `world` witnesses that all mutators are at safepoints until the caller resumes them. */
  SPGC_CYCLE_HELD(&runtime->cycle);
  /* From here on the cycle takes no step: only this thread and its workers access objects and
   * marks. */
  begin(world, &collection);
  spgc_pause_enter(pause, SPGC_PAUSE_VERIFY);
  spgc_verify_if_asked(world, "before");

  spgc_pause_begin_work(pause);
  take_nursery(world, &collection);
  decide(&collection);
  spgc_tell_if_rootless(world, &collection);
  spgc_marker_engage(&runtime->cycle.marker, &runtime->parallelism);
  spgc_finalizers_begin();

  carry_out(world, &collection);

  /* Nothing is young or condemned, and all tables have the new addresses. */
  spgc_pause_enter(pause, SPGC_PAUSE_POLICY);
  tell_policies(world, &collection);

  spgc_pause_enter(pause, SPGC_PAUSE_VERIFY);
  spgc_verify_if_asked(world, "after");
  spgc_report(&collection);
}
