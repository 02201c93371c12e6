#include "gc/mutator/request.h"

#include <inttypes.h>

#include "gc/state/log.h"
#include "gc/mutator/out_of_memory.h"
#include "gc/pause.h"
#include "gc/weak/pin.h"
#include "gc/roots.h"
#include "gc/state/runtime.h"
#include "gc/weak/weak_processing.h"
#include "gc/verify.h"
#include "gc/trace/speculation.h"
#include "heap/blocks.h"
#include "heap/card.h"
#include "gc/trace/promote.h"
#include "support/clock.h"
#include "support/fatal.h"

struct collection {
  enum spgc_collection kind;
  bool asked_full;        /* `kind` from the start */
  size_t young_bytes;     /* of small objects */
  size_t condemned_bytes; /* of small objects, old ones included */
  bool promoted;          /* the nursery became old where it was */
  bool in_place;          /* the system refused memory for copies: everything was marked where it was, and swept */
  bool speculated;         /* copying what survives was tried first; it was given up if the nursery was promoted */
  struct spgc_pause pause;
  struct spgc_evacuation evacuation;
  struct spgc_walk_counts walk;
};

static size_t nursery_bytes(const struct spgc_heap *heap) {
  size_t bytes = 0;
  for (uint32_t i = heap->nursery.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    bytes += heap->blocks[i].top;
  return bytes;
}

/* The room for the worst case is made before anything is condemned, because an evacuation that began must end. When the
 * system refuses it, the collection is one that needs no memory. */
static void prepare(struct spgc_runtime *runtime, struct collection *collection) {
  struct spgc_heap *heap = &runtime->heap;
  collection->young_bytes = collection->condemned_bytes = nursery_bytes(heap);
  if (runtime->options.move == SPGC_MOVE_ALWAYS)
    collection->condemned_bytes += (size_t)heap->old.count * SPGC_BLOCK_BYTES;
  if (spgc_blocks_prepare(heap, spgc_evacuation_blocks(collection->condemned_bytes)))
    return;
  collection->kind = SPGC_COLLECTION_FULL;
  collection->in_place = collection->asked_full = true;
}

/* The worker pool's threads help; under stress and move=always, even when there is little to do. */
static struct spgc_parallelism parallelism_of(struct spgc_runtime *runtime) {
  const struct spgc_options *options = &runtime->options;
  return (struct spgc_parallelism){.pool = &runtime->pool,
                            .extra_workers = options->threads - 1,
                            .at_once = options->stress != SPGC_STRESS_NONE || options->move == SPGC_MOVE_ALWAYS};
}

/* Helpers' PLABs take no room of the reserves that are kept for out-of-memory hooks. */
static void engage(struct collection *collection, size_t condemned_bytes) {
  struct spgc_runtime *runtime = &spgc_runtime;
  const struct spgc_parallelism parallelism = parallelism_of(runtime);
  spgc_evacuation_engage(&collection->evacuation, &parallelism, condemned_bytes,
                         spgc_sizing_unreserved_blocks(&runtime->sizing, &runtime->heap));
}

/* Everything between the beginning and the end of an evacuation. `read_others` reads the old objects that may refer to
 * condemned ones; NULL when there are none, for all are condemned. */
static void evacuate(struct spgc_stopped_world world, enum spgc_frames frames, struct collection *collection,
                     struct spgc_walk_counts *walk, void (*read_others)(struct spgc_evacuation *evacuation)) {
  struct spgc_evacuation *evacuation = &collection->evacuation;
  struct spgc_pause *pause = &collection->pause;
  const struct spgc_liveness liveness = {
      .heap = evacuation->heap, .evacuation = evacuation, .all = read_others != spgc_evacuation_scan_cards};
  spgc_pause_enter(pause, SPGC_PAUSE_ROOTS);
  spgc_pins_hold(&liveness);
  spgc_roots_forward(world, frames, evacuation, walk);
  spgc_weak_processing_keep_roots(&liveness);
  spgc_pause_enter(pause, SPGC_PAUSE_CARDS);
  if (read_others != NULL)
    read_others(evacuation);
  spgc_pause_enter(pause, SPGC_PAUSE_COPY);
  spgc_evacuation_drain(evacuation);
  spgc_pause_enter(pause, SPGC_PAUSE_WEAK);
  spgc_weak_processing_run(&liveness);
  spgc_pins_release(&liveness);
  spgc_pause_enter(pause, SPGC_PAUSE_FREE);
  spgc_evacuation_end(evacuation);
}

/* Roots and cards were visited with the marker of the trace, and nothing is young. */
static void finish_marking(struct collection *collection, struct spgc_cycle *cycle, const struct spgc_liveness *liveness,
                           bool keeps_marks) {
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_MARK);
  spgc_marker_drain(&cycle->marker);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_WEAK);
  spgc_weak_processing_run(liveness);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_FREE);
  spgc_cycle_finish_marking(cycle, keeps_marks);
}

static struct spgc_liveness liveness_of_marking(struct spgc_cycle *cycle) {
  return (struct spgc_liveness){.heap = cycle->marker.heap, .marker = &cycle->marker, .all = true};
}

/* Copying may take what is left of the pause, but for what is needed to undo it; and time enough to show that much
 * survives, whatever reading cards has taken. */
static uint64_t speculation_deadline(const struct collection *collection) {
  uint64_t pause_ns = spgc_runtime.sizing.pause_ns, least = spgc_clock_ns() + pause_ns / 2;
  uint64_t deadline = spgc_pause_deadline(&collection->pause, pause_ns / 5 * 3);
  return deadline > least ? deadline : least;
}

/* Whether an evacuation of the nursery has begun that will end in time: nothing is left to copy but what large objects
 * refer to. */
static bool speculate(struct spgc_stopped_world world, enum spgc_frames frames, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_evacuation *evacuation = &collection->evacuation;
  spgc_evacuation_begin_minor(evacuation, &runtime->heap, spgc_cycle_marker(&runtime->cycle));
  if (!spgc_speculation_begin(evacuation))
    return true;
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_ROOTS);
  spgc_roots_reach(world, frames, evacuation);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_CARDS);
  spgc_speculation_scan_cards(evacuation);
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_COPY);
  bool copied = spgc_speculation_copy(evacuation, speculation_deadline(collection));
  if (!copied)
    spgc_speculation_roll_back(evacuation);
  return copied;
}

/* Whether the nursery shall become old where it is. Otherwise its evacuation has begun if it was attempted. */
static bool promotes(struct spgc_stopped_world world, enum spgc_frames frames, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  size_t live_bytes = runtime->cycle.full_marking_live_bytes;
  if (spgc_sizing_promotes(&runtime->sizing, &runtime->heap, live_bytes))
    return true;
  if (!spgc_sizing_speculates(&runtime->sizing, &runtime->heap, live_bytes) || spgc_pins_are_fresh())
    return false;
  collection->speculated = true;
  return !speculate(world, frames, collection);
}

/* The end of a marking may take what is left of the pause. */
static bool may_finish_marking(const struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  uint64_t pause_ns = runtime->sizing.pause_ns;
  uint64_t deadline = pause_ns != 0 ? spgc_pause_deadline(&collection->pause, pause_ns) : UINT64_MAX;
  return spgc_cycle_may_finish_marking(&runtime->cycle, deadline);
}

static void collect_minor(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_cycle *cycle = &runtime->cycle;
  bool nothing_waits = cycle->phase == SPGC_PHASE_MARKED;
  bool must_finish = cycle->marker.active && spgc_sizing_is_tight(&runtime->sizing, &runtime->heap);
  bool begin = cycle->phase == SPGC_PHASE_IDLE && spgc_sizing_begins_cycle(&runtime->sizing, &runtime->heap, cycle);
  if (begin)
    spgc_cycle_begin(cycle, spgc_sizing_marks_in_part(&runtime->sizing, &runtime->heap, cycle));
  /* Marking starts from old objects that only frames refer to, and ends when none is left unmarked. */
  enum spgc_frames frames = begin || nothing_waits || must_finish ? SPGC_FRAMES_ALL : SPGC_FRAMES_RESUMED;
  collection->promoted = promotes(world, frames, collection);
  bool begun = collection->speculated && !collection->promoted;
  if (collection->promoted)
    cycle->promoted_bytes +=
        spgc_promote_nursery(&runtime->heap, !collection->speculated && spgc_sizing_expects_crossing_maps(&runtime->sizing));
  if (collection->promoted && spgc_cycle_passes_cards(cycle, begin) && !must_finish)
    return; /* nothing is young, and no marking needs the roots */
  if (!begun)
    spgc_evacuation_begin_minor(&collection->evacuation, &runtime->heap, spgc_cycle_marker(cycle));
  engage(collection, collection->condemned_bytes);
  bool defers_cards = cycle->phase == SPGC_PHASE_MARKING && !must_finish;
  if (defers_cards)
    spgc_marker_set_cards_deferred(&cycle->marker, true);
  evacuate(world, frames, collection, &collection->walk, spgc_evacuation_scan_cards);
  if (defers_cards)
    spgc_marker_set_cards_deferred(&cycle->marker, false);
  cycle->promoted_bytes += collection->evacuation.moved_bytes + collection->evacuation.relabelled_bytes;
  cycle->deferred_cards += runtime->heap.dirty_cards;
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_MARK);
  if (must_finish || (nothing_waits && may_finish_marking(collection))) {
    const struct spgc_liveness liveness = liveness_of_marking(cycle);
    finish_marking(collection, cycle, &liveness, true);
    collection->kind = SPGC_COLLECTION_FULL;
  }
}

/* Old blocks with few live objects are vacated; the room for that is what the limit leaves and the system grants.
 * Returns whether blocks became free. */
static bool evacuate_sparse_blocks(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_evacuation *evacuation = &collection->evacuation;
  uint64_t moved_objects = evacuation->moved_objects, moved_bytes = evacuation->moved_bytes;
  bool tight = spgc_sizing_is_tight(&runtime->sizing, &runtime->heap);
  size_t bytes =
      spgc_evacuation_begin_sparse(evacuation, &runtime->heap, tight ? SPGC_SPARSE_TIGHT : SPGC_SPARSE_DEFAULT,
                                   spgc_sizing_free_blocks(&runtime->sizing, &runtime->heap));
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

/* Marks everything from the roots, and sweeps. Nothing is young. Marks are not kept, because sparse blocks are vacated
 * next. */
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

/* Near the limit that goes on as long as it frees blocks, each time into the room that the last one freed. What lives
 * in a block is counted by marking alone. */
static void vacate_sparse_blocks(struct spgc_stopped_world world, struct collection *collection) {
  const struct spgc_runtime *runtime = &spgc_runtime;
  while (evacuate_sparse_blocks(world, collection) && spgc_sizing_is_tight(&runtime->sizing, &runtime->heap))
    mark_and_sweep(world, collection);
}

/* The collection that needs no memory it does not have: see docs/heap.md. */
static void collect_in_place(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_FREE);
  spgc_cycle_settle(&runtime->cycle);
  spgc_promote_nursery(&runtime->heap, false);
  collection->promoted = true;
  spgc_cards_retire_all(&runtime->heap, SPGC_CARD_CLEAN);
  mark_and_sweep(world, collection);
  spgc_sizing_note_refusal(&runtime->sizing, &runtime->heap);
  vacate_sparse_blocks(world, collection);
}

/* Young objects become old first, so that marking has to do with old ones alone; and nothing but roots keeps any of
 * them. */
static void collect_full(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_cycle *cycle = &runtime->cycle;
  spgc_pause_enter(&collection->pause, SPGC_PAUSE_FREE);
  spgc_cycle_settle(cycle);
  spgc_evacuation_begin_minor(&collection->evacuation, &runtime->heap, NULL);
  engage(collection, collection->condemned_bytes);
  evacuate(world, SPGC_FRAMES_RESUMED, collection, &collection->walk, spgc_evacuation_scan_cards);
  mark_and_sweep(world, collection);
  vacate_sparse_blocks(world, collection);
}

static void collect_moving_all(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  spgc_evacuation_begin_all(&collection->evacuation, &runtime->heap, &runtime->random);
  engage(collection, collection->condemned_bytes);
  evacuate(world, SPGC_FRAMES_ALL, collection, &collection->walk, NULL);
  runtime->cycle.live_bytes = runtime->cycle.full_marking_live_bytes =
      collection->evacuation.moved_bytes + runtime->heap.old_large_bytes;
}

static void collect(struct spgc_stopped_world world, struct collection *collection) {
  if (collection->in_place)
    collect_in_place(world, collection);
  else if (spgc_runtime.options.move == SPGC_MOVE_ALWAYS)
    collect_moving_all(world, collection);
  else if (collection->kind == SPGC_COLLECTION_FULL)
    collect_full(world, collection);
  else
    collect_minor(world, collection);
}

static void count(struct spgc_runtime *runtime, const struct collection *collection) {
  struct spgc_statistics *statistics = &runtime->statistics;
  if (collection->kind == SPGC_COLLECTION_FULL) {
    statistics->full_collections++;
    statistics->partial_collections += runtime->cycle.marker.partial;
    statistics->live_bytes = runtime->cycle.live_bytes;
  } else {
    statistics->minor_collections++;
  }
  statistics->in_place_collections += collection->in_place;
  statistics->aborted_minor_collections += collection->speculated && collection->promoted;
  statistics->moved_objects += collection->evacuation.moved_objects;
  statistics->moved_bytes += collection->evacuation.moved_bytes;
  statistics->frames_walked += collection->walk.managed_frames;
  statistics->roots_in_slots += collection->walk.roots_in_slots;
  statistics->roots_in_registers += collection->walk.roots_in_registers;
  statistics->registers_rewritten += collection->walk.registers_rewritten;
}

static const char *name_of(const struct collection *collection) {
  if (collection->kind == SPGC_COLLECTION_MINOR)
    return "minor";
  if (collection->in_place)
    return "in-place";
  return spgc_runtime.cycle.marker.partial ? "partial" : "full";
}

static void log_collection(const struct spgc_runtime *runtime, const struct collection *collection,
                           uint32_t blocks_before, uint64_t pause_ns) {
  const struct spgc_statistics *statistics = &runtime->statistics;
  char parts[256];
  spgc_pause_describe(&collection->pause, parts, sizeof parts);
  spgc_log("%s collection %" PRIu64 ": %zu KiB -> %zu KiB, moved %" PRIu64 " objects (%" PRIu64 " bytes), %" PRIu64
           " frames, %" PRIu64 ".%03" PRIu64 " ms: %s",
           name_of(collection), statistics->full_collections + statistics->minor_collections,
           (size_t)blocks_before * SPGC_BLOCK_BYTES / 1024, (size_t)runtime->heap.used_blocks * SPGC_BLOCK_BYTES / 1024,
           collection->evacuation.moved_objects, collection->evacuation.moved_bytes, collection->walk.managed_frames,
           pause_ns / 1000000, pause_ns / 1000 % 1000, parts);
}

static enum spgc_pause_kind kind_of_pause(const struct collection *collection) {
  if (collection->asked_full)
    return SPGC_PAUSE_OF_FULL;
  return collection->kind == SPGC_COLLECTION_FULL ? SPGC_PAUSE_OF_CYCLE : SPGC_PAUSE_OF_MINOR;
}

static void collect_holding_cycle(struct spgc_stopped_world world, struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_pause *pause = &collection->pause;
  uint32_t blocks_before = runtime->heap.used_blocks;
  spgc_pause_enter(pause, SPGC_PAUSE_VERIFY);
  spgc_verify_if_asked(world, "before");
  spgc_pause_enter(pause, SPGC_PAUSE_PREPARE);
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    spgc_mutator_publish_tlab(mutator, &runtime->heap);
  prepare(runtime, collection);
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    runtime->statistics.allocated_bytes += spgc_mutator_retire_tlab(mutator, &runtime->heap);
  runtime->whole_collections += collection->asked_full;
  const struct spgc_parallelism parallelism = parallelism_of(runtime);
  spgc_marker_engage(&runtime->cycle.marker, &parallelism);
  spgc_weak_processing_begin();
  collect(world, collection);
  spgc_pause_enter(pause, SPGC_PAUSE_SIZE);
  const struct spgc_collected collected = {.full = collection->kind == SPGC_COLLECTION_FULL,
                                           .asked_full = collection->asked_full,
                                           .promoted = collection->promoted,
                                           .blocks_before = blocks_before,
                                           .marking = runtime->cycle.marker.active,
                                           .speculated = collection->speculated,
                                           .condemned_bytes = collection->young_bytes,
                                           .moved_bytes = collection->evacuation.moved_bytes,
                                           .cards_read = collection->evacuation.cards_read,
                                           .pause_ns = spgc_pause_work_ns(pause),
                                           .live_bytes = runtime->cycle.full_marking_live_bytes};
  spgc_sizing_collected(&runtime->sizing, &runtime->heap, &collected);
  spgc_out_of_memory_collected(world);
  spgc_cycle_arrange_assists(&runtime->cycle, spgc_sizing_cycle_lags(&runtime->sizing, &runtime->heap, &runtime->cycle));
  spgc_pause_enter(pause, SPGC_PAUSE_VERIFY);
  spgc_verify_if_asked(world, "after");

  count(runtime, collection);
  uint64_t pause_ns = spgc_pause_end(pause, kind_of_pause(collection), &runtime->statistics);
  if (runtime->options.log)
    log_collection(runtime, collection, blocks_before, pause_ns);
}

void spgc_collect_stopped(struct spgc_stopped_world world, enum spgc_collection kind) {
  struct collection collection = {.kind = kind};
  if (spgc_runtime.options.move == SPGC_MOVE_ALWAYS)
    collection.kind = SPGC_COLLECTION_FULL;
  collection.asked_full = collection.kind == SPGC_COLLECTION_FULL;
  spgc_pause_begin(&collection.pause, world);
  spgc_cycle_hold(&spgc_runtime.cycle);
  collect_holding_cycle(world, &collection);
  spgc_cycle_release(&spgc_runtime.cycle);
}
