#include "gc/mutator/request.h"

#include "gc/events/events.h"
#include "gc/mutator/out_of_memory.h"
#include "gc/plan/pause.h"
#include "gc/plan/report.h"
#include "gc/plan/verify.h"
#include "gc/policy/without.h"
#include "gc/roots/roots.h"
#include "gc/state/runtime.h"
#include "gc/trace/promote.h"
#include "gc/trace/speculation.h"
#include "gc/weak/pin.h"
#include "gc/weak/weak_processing.h"
#include "heap/blocks.h"
#include "heap/card.h"
#include "support/clock.h"
#include "support/fatal.h"

static size_t nursery_bytes(const struct spgc_heap *heap) {
  size_t bytes = 0;
  for (uint32_t i = heap->nursery.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    bytes += heap->blocks[i].top;
  return bytes;
}

/* Copies may use reserves meanwhile, because condemned blocks become free; but those with pinned
 * objects do not. */
static size_t room_for_copies(const struct spgc_runtime *runtime) {
  const struct spgc_limit *limit = &runtime->policy.limit;
  return spgc_pins_exist() ? spgc_limit_unreserved_blocks(limit, &runtime->heap)
                           : spgc_limit_free_blocks(limit, &runtime->heap);
}

/* Prepares blocks for the worst case before anything is condemned, because an evacuation that has
 * begun must end. If the limit has no room for them, or the system refuses them, the
 * collection becomes one in place. */
static void prepare(struct spgc_runtime *runtime, struct collection *collection) {
  struct spgc_heap *heap = &runtime->heap;
  collection->young_bytes = collection->condemned_bytes = nursery_bytes(heap);
  if (runtime->options.move == SPGC_MOVE_ALWAYS)
    collection->condemned_bytes += (size_t)heap->old.count * SPGC_BLOCK_BYTES;
  size_t copies = spgc_evacuation_blocks(collection->condemned_bytes);
  bool admitted = copies <= room_for_copies(runtime);
  if (admitted && spgc_blocks_prepare(heap, copies))
    return;
  SPGC_TELL(blocks_refused, spgc_blocks_refused_event, .bytes = copies * SPGC_BLOCK_BYTES,
            .by = admitted ? SPGC_REFUSED_BY_SYSTEM : SPGC_REFUSED_BY_LIMIT, .for_copies = true,
            .ns = spgc_clock_ns());
  collection->outcome = SPGC_COLLECTED_IN_PLACE;
}

/* The worker pool takes part; under stress and move=always, even with little to do. */
static struct spgc_parallelism parallelism_of(struct spgc_runtime *runtime) {
  const struct spgc_options *options = &runtime->options;
  return (struct spgc_parallelism){.pool = &runtime->pool,
                                   .extra_workers = options->threads - 1,
                                   .at_once = options->stress != SPGC_STRESS_NONE ||
                                              options->move == SPGC_MOVE_ALWAYS};
}

/* The PLABs of other workers must not use the reserves of out-of-memory hooks. */
static void engage(struct collection *collection, size_t condemned_bytes) {
  struct spgc_runtime *runtime = &spgc_runtime;
  const struct spgc_parallelism parallelism = parallelism_of(runtime);
  spgc_evacuation_engage(&collection->evacuation, &parallelism, condemned_bytes,
                         spgc_limit_unreserved_blocks(&runtime->policy.limit, &runtime->heap));
}

/* Everything between the beginning and the end of an evacuation. `read_others` scans the old
 * objects that may refer to condemned ones. It is NULL when every object is condemned. */
static void evacuate(struct spgc_stopped_world world, enum spgc_frames frames,
                     struct collection *collection, struct spgc_walk_counts *walk,
                     void (*read_others)(struct spgc_evacuation *evacuation)) {
  struct spgc_evacuation *evacuation = &collection->evacuation;
  struct spgc_pause *pause = &collection->pause;
  const struct spgc_liveness liveness = {.heap = evacuation->heap,
                                         .evacuation = evacuation,
                                         .all = read_others != spgc_evacuation_scan_cards};
  spgc_pause_enter(pause, SPGC_PAUSE_ROOTS);
  spgc_pins_hold(&liveness);
  spgc_roots_forward(world, frames, evacuation, walk);
  spgc_weak_processing_keep_roots(&liveness);
  spgc_pause_enter(pause, SPGC_PAUSE_CARDS);
  if (read_others != NULL)
    read_others(evacuation);
  spgc_pause_enter(pause, SPGC_PAUSE_COPY);
  spgc_pause_transfer(pause, SPGC_PAUSE_CARDS, SPGC_PAUSE_COPY, evacuation->copying_ns);
  spgc_evacuation_drain(evacuation);
  spgc_pause_enter(pause, SPGC_PAUSE_WEAK);
  spgc_weak_processing_run(&liveness);
  spgc_pins_release(&liveness);
  spgc_pause_enter(pause, SPGC_PAUSE_FREE);
  spgc_evacuation_end(evacuation);
}

/* Ends a marking. Roots and cards were visited with the marker, and nothing is young. */
static void finish_marking(struct collection *collection, struct spgc_cycle *cycle,
                           const struct spgc_liveness *liveness, bool keeps_marks) {
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_MARK);
  spgc_marker_drain(&cycle->marker);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_WEAK);
  spgc_weak_processing_run(liveness);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_FREE);
  const struct spgc_marking marking = spgc_cycle_finish_marking(cycle, keeps_marks);
  spgc_pacer_marked(&spgc_runtime.policy.pacer, &marking);
}

static struct spgc_liveness liveness_of_marking(struct spgc_cycle *cycle) {
  return (struct spgc_liveness){.heap = cycle->marker.heap, .marker = &cycle->marker, .all = true};
}

/* The plan for the nursery. */
enum nursery_plan {
  COPY,      /* copy the survivors */
  SPECULATE, /* copy them until a deadline; when it passes, roll back and promote in place */
  PROMOTE,   /* in place: relabel the blocks without tracing */
};

static enum nursery_plan plan_nursery(const struct spgc_runtime *runtime) {
  size_t live_bytes = runtime->cycle.full_marking_live_bytes;
  if (spgc_policy_promotes_in_place(&runtime->policy, &runtime->heap, live_bytes))
    return PROMOTE;
  if (!spgc_policy_speculates(&runtime->policy, &runtime->heap, live_bytes) ||
      spgc_is_without(&runtime->options, SPGC_WITHOUT_SPECULATION) || spgc_pins_are_fresh())
    return COPY;
  return SPECULATE;
}

/* The plan for the marking of the old space. */
enum marking_plan {
  NO_MARKING,      /* none is under way, and none begins */
  BEGIN_MARKING,   /* begin one from the roots */
  GO_ON_MARKING,   /* one is under way: mark survivors and what cards refer to */
  TRY_FINAL_MARK,  /* end it if little is left to mark */
  MAKE_FINAL_MARK, /* end it, because memory is short */
};

static enum marking_plan plan_marking(const struct spgc_runtime *runtime) {
  const struct spgc_cycle *cycle = &runtime->cycle;
  if (cycle->marker.active && spgc_policy_is_tight(&runtime->policy, &runtime->heap))
    return MAKE_FINAL_MARK;
  if (cycle->phase == SPGC_CYCLE_MARKED)
    return TRY_FINAL_MARK;
  if (cycle->marker.active)
    return GO_ON_MARKING;
  bool begins = cycle->phase == SPGC_CYCLE_IDLE &&
                spgc_policy_begins_cycle(&runtime->policy, &runtime->heap, cycle);
  return begins ? BEGIN_MARKING : NO_MARKING;
}

/* A marking needs all frames when it begins, because unresumed frames refer to old objects, and
 * when it ends. */
static enum spgc_frames frames_for(enum marking_plan marking) {
  if (spgc_is_without(&spgc_runtime.options, SPGC_WITHOUT_WATERMARK))
    return SPGC_FRAMES_ALL;
  return marking == NO_MARKING || marking == GO_ON_MARKING ? SPGC_FRAMES_RESUMED : SPGC_FRAMES_ALL;
}

static void begin_marking(struct spgc_runtime *runtime) {
  struct spgc_cycle *cycle = &runtime->cycle;
  spgc_cycle_begin(cycle, !spgc_is_without(&runtime->options, SPGC_WITHOUT_STICKY_MARKS) &&
                              spgc_policy_marks_in_part(&runtime->policy, &runtime->heap, cycle));
}

static void begin_evacuation(struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  spgc_evacuation_begin_minor(&collection->evacuation, &runtime->heap,
                              spgc_cycle_marker(&runtime->cycle));
}

/* Copies survivors of the nursery until the deadline. The evacuation is under way if it returns
 * SPGC_NURSERY_COPIED. */
static enum spgc_nursery_outcome speculate(struct spgc_stopped_world world, enum spgc_frames frames,
                                           struct collection *collection) {
  struct spgc_evacuation *evacuation = &collection->evacuation;
  begin_evacuation(collection);
  if (!spgc_speculation_begin(evacuation))
    return SPGC_NURSERY_COPIED;
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_ROOTS);
  spgc_roots_reach(world, frames, evacuation);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_CARDS);
  spgc_speculation_scan_cards(evacuation);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_COPY);
  uint64_t deadline_ns = spgc_nursery_speculation_deadline(
      &spgc_runtime.policy.nursery, spgc_pause_work_begun_ns(&collection->pause), spgc_clock_ns());
  if (spgc_speculation_copy(evacuation, deadline_ns))
    return SPGC_NURSERY_COPIED;
  spgc_speculation_roll_back(evacuation);
  return SPGC_NURSERY_ABORTED;
}

/* Begins the plan, and returns its outcome, because only the beginning can fail. */
static enum spgc_nursery_outcome begin_nursery(struct spgc_stopped_world world,
                                               enum nursery_plan plan, enum spgc_frames frames,
                                               struct collection *collection) {
  switch (plan) {
  case COPY: begin_evacuation(collection); return SPGC_NURSERY_COPIED;
  case SPECULATE: collection->speculated = true; return speculate(world, frames, collection);
  case PROMOTE: break;
  }
  return SPGC_NURSERY_PROMOTED;
}

/* Builds crossing maps eagerly if cards will be scanned soon, but not after an abort, because the
 * pause is used up then. */
static void promote_in_place(struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  bool populates_crossing_maps =
      collection->nursery == SPGC_NURSERY_PROMOTED &&
      !spgc_is_without(&runtime->options, SPGC_WITHOUT_EAGER_CROSSING_MAPS) &&
      spgc_nursery_expects_crossing_maps(&runtime->policy.nursery);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_PROMOTE);
  collection->promoted_bytes = spgc_promote_nursery(&runtime->heap, populates_crossing_maps);
  runtime->cycle.promoted_bytes += collection->promoted_bytes;
}

/* Copies the nursery's survivors. When nothing is young, visits roots and cards for the marking. */
static void evacuate_nursery(struct spgc_stopped_world world, enum spgc_frames frames,
                             bool defers_cards, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_cycle *cycle = &runtime->cycle;
  engage(collection, collection->condemned_bytes);
  if (defers_cards)
    spgc_marker_set_cards_deferred(&cycle->marker, true);
  evacuate(world, frames, collection, &collection->walk, spgc_evacuation_scan_cards);
  if (defers_cards)
    spgc_marker_set_cards_deferred(&cycle->marker, false);
  size_t promoted_bytes = spgc_evacuation_promoted_bytes(&collection->evacuation);
  collection->promoted_bytes += promoted_bytes;
  cycle->promoted_bytes += promoted_bytes;
  cycle->deferred_cards += runtime->heap.dirty_cards;
}

/* Ends the marking, if that is the plan or if the plan is to try and little is left. */
static void final_mark(enum marking_plan marking, struct collection *collection) {
  struct spgc_cycle *cycle = &spgc_runtime.cycle;
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_MARK);
  uint64_t deadline_ns = spgc_nursery_final_mark_deadline(
      &spgc_runtime.policy.nursery, spgc_pause_work_begun_ns(&collection->pause));
  bool ends = marking == MAKE_FINAL_MARK ||
              (marking == TRY_FINAL_MARK &&
               spgc_cycle_try_to_finish(cycle, deadline_ns) == SPGC_MARKING_ENDS);
  if (!ends)
    return;
  const struct spgc_liveness liveness = liveness_of_marking(cycle);
  finish_marking(collection, cycle, &liveness, true);
  collection->outcome = SPGC_COLLECTED_FINAL_MARK;
}

static void collect_minor(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_cycle *cycle = &runtime->cycle;
  enum marking_plan marking = plan_marking(runtime);
  if (marking == BEGIN_MARKING)
    begin_marking(runtime);
  enum spgc_frames frames = frames_for(marking);
  collection->nursery = begin_nursery(world, plan_nursery(runtime), frames, collection);
  if (collection->nursery != SPGC_NURSERY_COPIED) {
    promote_in_place(collection);
    enum spgc_deferral deferral = spgc_cycle_defer_cards(cycle, marking == BEGIN_MARKING);
    if (deferral == SPGC_CARDS_DEFERRED && marking != MAKE_FINAL_MARK)
      return; /* nothing is young, and no marking needs the roots */
    begin_evacuation(collection);
  }
  bool defers_cards = cycle->phase == SPGC_CYCLE_MARKING && marking != MAKE_FINAL_MARK;
  evacuate_nursery(world, frames, defers_cards, collection);
  final_mark(marking, collection);
}

/* Evacuates old blocks with few live objects, as many as the limit and the system allow. Returns
 * whether blocks became free. */
static bool evacuate_sparse_blocks(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_evacuation *evacuation = &collection->evacuation;
  uint64_t moved_objects = evacuation->moved_objects, moved_bytes = evacuation->moved_bytes;
  size_t bytes = spgc_evacuation_begin_sparse(evacuation, &runtime->heap,
                                              spgc_policy_sparse(&runtime->policy, &runtime->heap),
                                              room_for_copies(runtime));
  if (bytes == 0)
    return false;
  uint32_t used_blocks = runtime->heap.used_blocks;
  struct spgc_walk_counts walk;
  engage(collection, bytes);
  evacuate(world, SPGC_FRAMES_ALL, collection, &walk, spgc_evacuation_update);
  collection->walk.registers_rewritten += walk.registers_rewritten;
  evacuation->moved_objects += moved_objects;
  evacuation->moved_bytes += moved_bytes;
  return runtime->heap.used_blocks < used_blocks;
}

/* Marks everything from the roots, and sweeps. Nothing is young. The marks are not kept, because
 * sparse blocks are evacuated next. */
static void mark_and_sweep(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_cycle *cycle = &spgc_runtime.cycle;
  spgc_cycle_begin(cycle, false);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_ROOTS);
  const struct spgc_liveness liveness = liveness_of_marking(cycle);
  spgc_roots_mark(world, &cycle->marker);
  spgc_weak_processing_keep_roots(&liveness);
  finish_marking(collection, cycle, &liveness, false);
  spgc_cycle_settle(cycle);
}

/* Near the limit, repeats this as long as it frees blocks, because each round has more free blocks
 * to copy into. Each round marks first, because only a marking counts live bytes per block. */
static void vacate_sparse_blocks(struct spgc_stopped_world world, struct collection *collection) {
  const struct spgc_runtime *runtime = &spgc_runtime;
  while (evacuate_sparse_blocks(world, collection) &&
         spgc_policy_is_tight(&runtime->policy, &runtime->heap))
    mark_and_sweep(world, collection);
}

/* A full collection that needs no more memory: see docs/collections.md. */
static void collect_in_place(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_FREE);
  spgc_cycle_settle(&runtime->cycle);
  collection->promoted_bytes = spgc_promote_nursery(&runtime->heap, false);
  collection->nursery = SPGC_NURSERY_PROMOTED;
  spgc_cards_retire_all(&runtime->heap, SPGC_CARD_CLEAN);
  mark_and_sweep(world, collection);
  spgc_policy_note_refusal(&runtime->policy, &runtime->heap);
  vacate_sparse_blocks(world, collection);
}

/* Evacuates the nursery first, so that the marking sees only old objects. No marks of an earlier
 * cycle keep objects alive. */
static void collect_full(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_cycle *cycle = &runtime->cycle;
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_FREE);
  spgc_cycle_settle(cycle);
  spgc_evacuation_begin_minor(&collection->evacuation, &runtime->heap, NULL);
  engage(collection, collection->condemned_bytes);
  evacuate(world, SPGC_FRAMES_RESUMED, collection, &collection->walk, spgc_evacuation_scan_cards);
  collection->promoted_bytes = spgc_evacuation_promoted_bytes(&collection->evacuation);
  mark_and_sweep(world, collection);
  vacate_sparse_blocks(world, collection);
}

static void collect_moving_all(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  spgc_evacuation_begin_all(&collection->evacuation, &runtime->heap, &runtime->random);
  engage(collection, collection->condemned_bytes);
  evacuate(world, SPGC_FRAMES_ALL, collection, &collection->walk, NULL);
  collection->promoted_bytes = spgc_evacuation_promoted_bytes(&collection->evacuation);
  runtime->cycle.live_bytes = runtime->cycle.full_marking_live_bytes =
      spgc_evacuation_survived_bytes(&collection->evacuation);
}

static void collect(struct spgc_stopped_world world, struct collection *collection) {
  switch (collection->outcome) {
  case SPGC_COLLECTED_MINOR:
  case SPGC_COLLECTED_FINAL_MARK: collect_minor(world, collection); break;
  case SPGC_COLLECTED_IN_PLACE: collect_in_place(world, collection); break;
  case SPGC_COLLECTED_FULL:
    if (spgc_runtime.options.move == SPGC_MOVE_ALWAYS)
      collect_moving_all(world, collection);
    else
      collect_full(world, collection);
  }
}

static void publish_tlabs(struct spgc_stopped_world world, struct spgc_heap *heap) {
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    spgc_mutator_publish_tlab(mutator, heap);
}

static void retire_tlabs(struct spgc_stopped_world world, struct spgc_runtime *runtime) {
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    runtime->statistics.allocated_bytes += spgc_mutator_retire_tlab(mutator, &runtime->heap);
}

/* Reports the collection to the policies. */
static void tell_policies(struct spgc_runtime *runtime, const struct collection *collection) {
  const struct spgc_collected collected = {.full = collection->outcome != SPGC_COLLECTED_MINOR,
                                           .asked_full = spgc_outcome_is_full(collection->outcome),
                                           .promoted = collection->nursery != SPGC_NURSERY_COPIED,
                                           .blocks_before = collection->blocks_before,
                                           .marking = runtime->cycle.marker.active,
                                           .speculated = collection->speculated,
                                           .condemned_bytes = collection->young_bytes,
                                           .moved_bytes = collection->evacuation.moved_bytes,
                                           .cards_read = collection->evacuation.cards_read,
                                           .pause_ns = spgc_pause_work_ns(&collection->pause),
                                           .live_bytes = runtime->cycle.full_marking_live_bytes};
  spgc_policy_collected(&runtime->policy, &runtime->heap, &collected);
}

/* The sizes that the policies choose, in bytes. */
struct sizes {
  size_t nursery, target;
};

static struct sizes chosen_sizes(const struct spgc_runtime *runtime) {
  return (struct sizes){.nursery = runtime->policy.nursery.budget_blocks * SPGC_BLOCK_BYTES,
                        .target = spgc_policy_target(&runtime->policy, &runtime->cycle)};
}

static void tell_resized(struct sizes before, struct sizes now) {
  if (now.nursery != before.nursery)
    SPGC_TELL(nursery_resized, spgc_resized_event, .from_bytes = before.nursery,
              .to_bytes = now.nursery, .ns = spgc_clock_ns());
  if (now.target != before.target)
    SPGC_TELL(target_resized, spgc_resized_event, .from_bytes = before.target,
              .to_bytes = now.target, .ns = spgc_clock_ns());
}

static size_t freed_blocks(const struct collection *collection) {
  size_t used = spgc_runtime.heap.used_blocks;
  return collection->blocks_before > used ? collection->blocks_before - used : 0;
}

/* Collects. The caller holds the cycle. */
static void collect_holding_cycle(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_pause *pause = &collection->pause;
  const struct sizes sizes = chosen_sizes(runtime);
  collection->blocks_before = runtime->heap.used_blocks;
  runtime->heap.collection++;
  SPGC_TELL(collection_begin, spgc_collection_begin_event, .number = collection->number,
            .thread = collection->thread, .asked_ns = world.asked_ns,
            .stopped_ns = world.stopped_ns, .reason = collection->reason, .kind = collection->kind,
            .heap_bytes = (uint64_t)collection->blocks_before * SPGC_BLOCK_BYTES);
  spgc_pause_enter(pause, SPGC_PAUSE_VERIFY);
  spgc_verify_if_asked(world, "before");
  spgc_pause_enter(pause, SPGC_PAUSE_PREPARE);
  publish_tlabs(world, &runtime->heap);
  prepare(runtime, collection);
  retire_tlabs(world, runtime);
  const struct spgc_parallelism parallelism = parallelism_of(runtime);
  spgc_marker_engage(&runtime->cycle.marker, &parallelism);
  spgc_weak_processing_begin();
  collect(world, collection);
  spgc_pause_enter(pause, SPGC_PAUSE_POLICY);
  tell_policies(runtime, collection);
  spgc_out_of_memory_collected(world, freed_blocks(collection));
  spgc_cycle_arrange_assists(
      &runtime->cycle, spgc_policy_cycle_lags(&runtime->policy, &runtime->heap, &runtime->cycle));
  spgc_pause_enter(pause, SPGC_PAUSE_VERIFY);
  spgc_verify_if_asked(world, "after");
  tell_resized(sizes, chosen_sizes(runtime));
  spgc_report(collection);
}

void spgc_collect_stopped(struct spgc_stopped_world world, enum spgc_collection kind,
                          enum spgc_reason reason) {
  bool full = kind == SPGC_COLLECTION_FULL || spgc_runtime.options.move == SPGC_MOVE_ALWAYS;
  struct collection collection = {.number = spgc_runtime.statistics.collections + 1,
                                  .thread = world.stopper,
                                  .reason = reason,
                                  .kind = kind,
                                  .outcome = full ? SPGC_COLLECTED_FULL : SPGC_COLLECTED_MINOR};
  spgc_pause_begin(&collection.pause, collection.number, world);
  spgc_cycle_hold(&spgc_runtime.cycle);
  collect_holding_cycle(world, &collection);
  spgc_cycle_release(&spgc_runtime.cycle);
}
