/* Statistics are sums of events. */
#include "gc/plan/collection.h"

#include <string.h>

#include "gc/events/events.h"
#include "gc/state/runtime.h"
#include "gc/state/stops.h"
#include "support/min_max.h"

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
      .old_bytes = (uint64_t)heap->old_blocks * SPGC_BLOCK_BYTES + heap->old_large_bytes,
      .live_bytes = collection->outcome == SPGC_COLLECTED_MINOR ? runtime->statistics.live_bytes
                                                                : runtime->cycle.live_bytes,
      .moved_objects = collection->evacuation.moved_objects,
      .moved_bytes = collection->evacuation.moved_bytes,
      .promoted_bytes = collection->promoted_bytes,
      .allocated_bytes = runtime->statistics.allocated_bytes,
      .born_old_bytes = runtime->statistics.born_old_bytes,
      .frames = collection->walk.managed_frames,
      .roots_in_slots = collection->walk.roots_in_slots,
      .roots_in_registers = collection->walk.roots_in_registers,
      .registers_rewritten = collection->walk.registers_rewritten,
      .plan = collection->decision.words,
      .nursery_plan = collection->decision.nursery_words,
      .marking_plan = collection->decision.marking_words};
  memcpy(event.part_ns, pause->part_ns, sizeof pause->part_ns);
  return event;
}

static void count(struct spgc_statistics *statistics,
                  const struct spgc_collection_end_event *event) {
  uint64_t ns = event->end_ns - event->begin_ns;
  statistics->collections++;
  switch (event->outcome) {
  case SPGC_COLLECTED_MINOR:
    statistics->minor_collections++;
    statistics->longest_minor_pause_ns = spgc_max(statistics->longest_minor_pause_ns, ns);
    break;
  case SPGC_COLLECTED_FINAL_MARK:
    statistics->final_marks++;
    statistics->longest_final_mark_ns = spgc_max(statistics->longest_final_mark_ns, ns);
    break;
  case SPGC_COLLECTED_IN_PLACE: statistics->in_place_collections++; __attribute__((fallthrough));
  case SPGC_COLLECTED_FULL: statistics->full_collections++; break;
  }
  statistics->partial_markings += event->partial;
  statistics->reasons[event->reason]++;
  statistics->total_pause_ns += ns;
  spgc_histogram_add(&statistics->pauses, ns);
  statistics->longest_pause_ns = spgc_max(statistics->longest_pause_ns, ns);
  statistics->live_bytes = event->live_bytes;
  statistics->promoted_bytes += event->promoted_bytes;
  statistics->moved_objects += event->moved_objects;
  statistics->moved_bytes += event->moved_bytes;
  statistics->frames_walked += event->frames;
  statistics->roots_in_slots += event->roots_in_slots;
  statistics->roots_in_registers += event->roots_in_registers;
  statistics->registers_rewritten += event->registers_rewritten;
}

void spgc_report(struct collection *collection) {
  struct spgc_runtime *runtime = &spgc_runtime;
  size_t nursery = runtime->policy.nursery.budget_blocks * SPGC_BLOCK_BYTES,
         target = spgc_pacer_target(&runtime->policy, runtime->cycle.full_marking_live_bytes);
  if (nursery != collection->nursery_before)
    SPGC_TELL(nursery_resized, spgc_resized_event, .from_bytes = collection->nursery_before,
              .to_bytes = nursery, .ns = spgc_clock_ns());
  if (target != collection->target_before)
    SPGC_TELL(target_resized, spgc_resized_event, .from_bytes = collection->target_before,
              .to_bytes = target, .ns = spgc_clock_ns());
  spgc_pause_enter(&collection->pause, collection->pause.part); /* ends it, at `since_ns` */
  const struct spgc_collection_end_event event = end_event(runtime, collection);
  count(&runtime->statistics, &event);
  if (spgc_hears_collection_end())
    spgc_tell_collection_end(&event);
}
