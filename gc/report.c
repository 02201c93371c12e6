#include "gc/report.h"

#include <inttypes.h>
#include <string.h>

#include "gc/events/events.h"
#include "gc/state/log.h"
#include "gc/state/runtime.h"

_Static_assert((int)SPGC_REASONS <= (int)SPGC_STATISTICS_REASONS, "each reason is counted");

static void count_outcome(struct spgc_statistics *statistics, enum spgc_outcome outcome) {
  statistics->collections++;
  switch (outcome) {
  case SPGC_COLLECTED_MINOR: statistics->minor_collections++; break;
  case SPGC_COLLECTED_FINAL_MARK: statistics->final_marks++; break;
  case SPGC_COLLECTED_IN_PLACE: statistics->in_place_collections++; __attribute__((fallthrough));
  case SPGC_COLLECTED_FULL: statistics->full_collections++; break;
  }
}

static void count(struct spgc_runtime *runtime, const struct collection *collection) {
  struct spgc_statistics *statistics = &runtime->statistics;
  count_outcome(statistics, collection->outcome);
  statistics->partial_markings +=
      collection->outcome == SPGC_COLLECTED_FINAL_MARK && runtime->cycle.marker.partial;
  if (collection->outcome != SPGC_COLLECTED_MINOR)
    statistics->live_bytes = runtime->cycle.live_bytes;
  statistics->aborted_minor_collections += collection->nursery == SPGC_NURSERY_ABORTED;
  statistics->reasons[collection->reason]++;
  statistics->promoted_bytes += collection->promoted_bytes;
  statistics->moved_objects += collection->evacuation.moved_objects;
  statistics->moved_bytes += collection->evacuation.moved_bytes;
  statistics->frames_walked += collection->walk.managed_frames;
  statistics->roots_in_slots += collection->walk.roots_in_slots;
  statistics->roots_in_registers += collection->walk.roots_in_registers;
  statistics->registers_rewritten += collection->walk.registers_rewritten;
}

static const char *name_of(const struct collection *collection) {
  switch (collection->outcome) {
  case SPGC_COLLECTED_MINOR: break;
  case SPGC_COLLECTED_FINAL_MARK:
    return spgc_runtime.cycle.marker.partial ? "partial final-mark" : "final-mark";
  case SPGC_COLLECTED_IN_PLACE: return "in-place full";
  case SPGC_COLLECTED_FULL: return "full";
  }
  return "minor";
}

static const char *note_on_nursery(const struct collection *collection) {
  switch (collection->nursery) {
  case SPGC_NURSERY_COPIED: break;
  case SPGC_NURSERY_PROMOTED: return ", promoted in place";
  case SPGC_NURSERY_ABORTED: return ", aborted and promoted in place";
  }
  return "";
}

/* The pause is the time after the stop; the log shows the stop beside it. */
static void log_collection(const struct spgc_runtime *runtime, const struct collection *collection,
                           uint64_t pause_ns) {
  char parts[256];
  spgc_pause_describe(&collection->pause, parts, sizeof parts);
  spgc_log("%s collection %" PRIu64 " (%s) at " SPGC_LOG_DECIMAL
           " s: %zu KiB -> %zu KiB, moved %" PRIu64 " objects (%" PRIu64 " bytes)%s, %" PRIu64
           " frames, stop " SPGC_LOG_DECIMAL " ms, pause " SPGC_LOG_DECIMAL " ms: %s",
           name_of(collection), collection->number, spgc_reason_name(collection->reason),
           SPGC_LOG_SECONDS(collection->pause.begun_ns - runtime->started_ns),
           (size_t)collection->blocks_before * SPGC_BLOCK_BYTES / 1024,
           (size_t)runtime->heap.used_blocks * SPGC_BLOCK_BYTES / 1024,
           collection->evacuation.moved_objects, collection->evacuation.moved_bytes,
           note_on_nursery(collection), collection->walk.managed_frames,
           SPGC_LOG_MS(collection->pause.stop_ns), SPGC_LOG_MS(pause_ns), parts);
}

static struct spgc_collection_end_event end_event(const struct spgc_runtime *runtime,
                                                  const struct collection *collection) {
  const struct spgc_pause *pause = &collection->pause;
  const struct spgc_heap *heap = &runtime->heap;
  struct spgc_collection_end_event event = {
      .number = collection->number,
      .thread = collection->thread,
      .begin_ns = pause->begun_ns,
      .end_ns = pause->since_ns,
      .stop_ns = pause->stop_ns,
      .reason = collection->reason,
      .outcome = collection->outcome,
      .nursery = collection->nursery,
      .partial = collection->outcome == SPGC_COLLECTED_FINAL_MARK && runtime->cycle.marker.partial,
      .heap_bytes_before = (uint64_t)collection->blocks_before * SPGC_BLOCK_BYTES,
      .heap_bytes = (uint64_t)heap->used_blocks * SPGC_BLOCK_BYTES,
      .nursery_bytes = collection->young_bytes,
      .old_bytes = (uint64_t)heap->old.count * SPGC_BLOCK_BYTES + heap->old_large_bytes,
      .live_bytes = runtime->statistics.live_bytes,
      .moved_objects = collection->evacuation.moved_objects,
      .moved_bytes = collection->evacuation.moved_bytes,
      .promoted_bytes = collection->promoted_bytes,
      .allocated_bytes = runtime->statistics.allocated_bytes,
      .frames = collection->walk.managed_frames};
  memcpy(event.part_ns, pause->part_ns, sizeof event.part_ns);
  return event;
}

void spgc_report(struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  count(runtime, collection);
  uint64_t pause_ns = spgc_pause_end(&collection->pause, collection->outcome, &runtime->statistics);
  if (spgc_hears_collection_end()) {
    const struct spgc_collection_end_event event = end_event(runtime, collection);
    spgc_tell_collection_end(&event);
  }
  if (runtime->options.log >= SPGC_LOG_GC)
    log_collection(runtime, collection, pause_ns);
}
