#include "gc/collect.h"

#include <inttypes.h>
#include <time.h>

#include "gc/log.h"
#include "gc/roots.h"
#include "gc/runtime.h"
#include "gc/verify.h"
#include "heap/blocks.h"
#include "support/fatal.h"

struct collection {
  enum spgc_collection kind;
  uint64_t start_ns;
  size_t condemned_bytes; /* of small objects */
  struct spgc_evacuation evacuation;
  struct spgc_walk_counts walk;
};

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static size_t nursery_bytes(const struct spgc_heap *heap) {
  size_t bytes = 0;
  for (uint32_t i = heap->nursery.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    bytes += heap->blocks[i].top;
  return bytes;
}

/* The room for the worst case is made before anything is condemned: a collection that began must end. */
static bool prepare(struct spgc_runtime *runtime, struct collection *collection) {
  struct spgc_heap *heap = &runtime->heap;
  bool full = collection->kind == SPGC_COLLECTION_FULL;
  collection->condemned_bytes = nursery_bytes(heap) + (full ? heap->old_bytes : 0);
  return spgc_blocks_prepare(heap, spgc_evacuation_blocks(collection->condemned_bytes));
}

static void condemn(struct spgc_runtime *runtime, struct collection *collection) {
  bool shuffled = runtime->options.move == SPGC_MOVE_ALWAYS;
  if (collection->kind == SPGC_COLLECTION_FULL)
    spgc_evacuation_begin_full(&collection->evacuation, &runtime->heap, shuffled ? &runtime->random : NULL);
  else
    spgc_evacuation_begin_minor(&collection->evacuation, &runtime->heap);
}

static void evacuate(struct spgc_stopped_world world, struct collection *collection) {
  spgc_roots_forward(world, &collection->evacuation, &collection->walk);
  if (collection->kind == SPGC_COLLECTION_MINOR)
    spgc_evacuation_remember(&collection->evacuation);
  spgc_evacuation_drain(&collection->evacuation);
  spgc_evacuation_end(&collection->evacuation);
}

static void count(struct spgc_runtime *runtime, const struct collection *collection, uint64_t pause_ns) {
  struct spgc_statistics *statistics = &runtime->statistics;
  if (collection->kind == SPGC_COLLECTION_FULL) {
    statistics->full_collections++;
    statistics->live_bytes = runtime->heap.old_bytes + runtime->heap.old_large_bytes;
  } else {
    statistics->minor_collections++;
  }
  statistics->moved_objects += collection->evacuation.moved_objects;
  statistics->moved_bytes += collection->evacuation.moved_bytes;
  statistics->frames_walked += collection->walk.managed_frames;
  statistics->roots_in_slots += collection->walk.roots_in_slots;
  statistics->roots_in_registers += collection->walk.roots_in_registers;
  statistics->registers_rewritten += collection->walk.registers_rewritten;
  statistics->total_pause_ns += pause_ns;
  if (pause_ns > statistics->longest_pause_ns)
    statistics->longest_pause_ns = pause_ns;
}

static void log_collection(const struct spgc_runtime *runtime, const struct collection *collection,
                           uint32_t blocks_before, uint64_t pause_ns) {
  const struct spgc_statistics *statistics = &runtime->statistics;
  spgc_log("%s collection %" PRIu64 ": %zu KiB -> %zu KiB, moved %" PRIu64 " objects (%" PRIu64 " bytes), %" PRIu64
           " frames, %" PRIu64 ".%03" PRIu64 " ms",
           collection->kind == SPGC_COLLECTION_FULL ? "full" : "minor",
           statistics->full_collections + statistics->minor_collections,
           (size_t)blocks_before * SPGC_BLOCK_BYTES / 1024, (size_t)runtime->heap.used_blocks * SPGC_BLOCK_BYTES / 1024,
           collection->evacuation.moved_objects, collection->evacuation.moved_bytes, collection->walk.managed_frames,
           pause_ns / 1000000, pause_ns / 1000 % 1000);
}

bool spgc_collect_stopped(struct spgc_stopped_world world, enum spgc_collection kind) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct collection collection = {.kind = runtime->options.move == SPGC_MOVE_ALWAYS ? SPGC_COLLECTION_FULL : kind};
  collection.start_ns = now_ns();
  uint32_t blocks_before = runtime->heap.used_blocks;

  spgc_verify_if_asked(world, "before");
  spgc_mutator_publish_area(world.mutators, &runtime->heap);
  if (!prepare(runtime, &collection))
    return false;
  runtime->statistics.allocated_bytes += spgc_mutator_retire_area(world.mutators, &runtime->heap);
  condemn(runtime, &collection);
  evacuate(world, &collection);
  spgc_sizing_collected(&runtime->sizing, &runtime->heap, collection.kind, collection.condemned_bytes,
                        collection.evacuation.moved_bytes);
  spgc_verify_if_asked(world, "after");

  uint64_t pause_ns = now_ns() - collection.start_ns;
  count(runtime, &collection, pause_ns);
  if (runtime->options.log)
    log_collection(runtime, &collection, blocks_before, pause_ns);
  return true;
}
