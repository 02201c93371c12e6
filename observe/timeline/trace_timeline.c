#include "observe/timeline/trace_timeline.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "support/clock.h"

struct arguments {
  char text[1024];
};

static struct arguments describe(const char *format, ...) __attribute__((format(printf, 1, 2)));

static struct arguments describe(const char *format, ...) {
  struct arguments arguments;
  va_list values;
  va_start(values, format);
  vsnprintf(arguments.text, sizeof arguments.text, format, values);
  va_end(values);
  return arguments;
}

static struct spgc_trace_track *track_of(struct spgc_trace_timeline *timeline, uint64_t mutator) {
  return spgc_trace_track(&timeline->tracks, SPGC_TRACE_TRACK_MUTATORS + mutator, 0);
}

/* Does nothing if there is no memory for the track. */
static void put(struct spgc_trace_timeline *timeline, struct spgc_trace_track *track,
                struct spgc_trace_held held) {
  if (track == NULL)
    return;
  held.slice.track = track->number;
  spgc_trace_track_put(&timeline->tracks, track, &held);
}

/* ---- Stops ---- */

static void draw_world_stopped(struct spgc_trace_timeline *timeline,
                               const struct spgc_world_stopped_event *event) {
  struct spgc_trace_track *track = event->thread != 0 ? track_of(timeline, event->thread) : NULL;
  if (track == NULL)
    return;
  track->asked_ns = event->asked_ns;
  track->stopped_ns = event->stopped_ns;
  track->collected = false;
}

static void draw_thread_stopped(struct spgc_trace_timeline *timeline,
                                const struct spgc_thread_stopped_event *event) {
  struct spgc_trace_track *track = track_of(timeline, event->thread);
  if (track != NULL && event->arrived_ns > event->asked_ns)
    track->to_stop_ns = event->arrived_ns - event->asked_ns;
}

/* A stop without a collection, such as fork's. Threads that are not attached have no track. */
static void draw_world_resumed(struct spgc_trace_timeline *timeline,
                               const struct spgc_world_resumed_event *event) {
  static const char name[] = "stopped world";
  if (event->thread == 0) {
    const struct arguments arguments =
        describe("\"stopped_ns\":%" PRIu64, event->resumed_ns - event->stopped_ns);
    spgc_trace_file_instant(timeline->file, name, event->stopped_ns, arguments.text);
    return;
  }
  struct spgc_trace_track *track = track_of(timeline, event->thread);
  if (track == NULL || track->collected || track->stopped_ns != event->stopped_ns)
    return;
  struct spgc_trace_slice whole = {track->number, name, track->asked_ns, event->resumed_ns},
                          stop = {track->number, spgc_pause_part_name(SPGC_PAUSE_STOP),
                                  track->asked_ns, event->stopped_ns};
  spgc_trace_track_flush(&timeline->tracks, track);
  spgc_trace_file_slice(timeline->file, &whole, "");
  spgc_trace_file_slice(timeline->file, &stop, "");
}

static void draw_thread_waited(struct spgc_trace_timeline *timeline,
                               const struct spgc_thread_waited_event *event) {
  struct spgc_trace_track *track = track_of(timeline, event->thread);
  if (track == NULL)
    return;
  put(timeline, track,
      (struct spgc_trace_held){.slice = {0, "wait", event->begin_ns, event->end_ns},
                               .to_stop_ns = track->to_stop_ns});
  track->to_stop_ns = 0;
}

/* ---- Collections ---- */

/* `asked_ns` is 0 if the beginning was lost. */
static void expect(struct spgc_trace_collection *collection, uint64_t number, uint64_t asked_ns) {
  collection->number = number;
  collection->asked_ns = asked_ns;
  collection->count = 0;
  collection->finalizers = 0;
}

/* A slice of the collector's own thread covers no pause. */
static void draw_collection_begin(struct spgc_trace_timeline *timeline,
                                  const struct spgc_collection_begin_event *event) {
  expect(&timeline->collection, event->number, event->asked_ns);
  struct spgc_trace_track *steps = spgc_trace_track(&timeline->tracks, SPGC_TRACE_TRACK_STEPS, 0);
  if (steps != NULL)
    spgc_trace_track_flush(&timeline->tracks, steps);
}

static void draw_pause_part(struct spgc_trace_timeline *timeline,
                            const struct spgc_pause_part_event *event) {
  struct spgc_trace_collection *collection = &timeline->collection;
  if (collection->number != event->number)
    expect(collection, event->number, 0);
  if (spgc_mapped_array_reserve(&collection->parts, (collection->count + 1) * sizeof *event))
    *SPGC_MAPPED_AT(&collection->parts, struct spgc_pause_part_event, collection->count++) = *event;
}

static void draw_finalizers_queued(struct spgc_trace_timeline *timeline,
                                   const struct spgc_finalizers_queued_event *event) {
  timeline->collection.finalizers += event->queued;
}

static const char *name_of(const struct spgc_collection_end_event *event) {
  switch (event->outcome) {
  case SPGC_COLLECTED_MINOR: break;
  case SPGC_COLLECTED_FINAL_MARK: return event->partial ? "partial final mark" : "final mark";
  case SPGC_COLLECTED_FULL: return "full";
  case SPGC_COLLECTED_IN_PLACE: return "in-place full";
  }
  return "minor";
}

static const char *name_of_nursery(enum spgc_nursery_outcome nursery) {
  switch (nursery) {
  case SPGC_NURSERY_COPIED: break;
  case SPGC_NURSERY_PROMOTED: return "promoted in place";
  }
  return "copied";
}

static struct arguments describe_collection(const struct spgc_collection_end_event *event,
                                            const struct spgc_trace_collection *collection) {
  return describe(
      "\"collection\":%" PRIu64 ",\"reason\":\"%s\",\"stop_ns\":%" PRIu64 ",\"pause_ns\":%" PRIu64
      ",\"nursery\":\"%s\",\"nursery_bytes\":%" PRIu64 ",\"moved_objects\":%" PRIu64
      ",\"moved_bytes\":%" PRIu64 ",\"promoted_bytes\":%" PRIu64 ",\"allocated_bytes\":%" PRIu64
      ",\"born_old_bytes\":%" PRIu64 ",\"heap_bytes_before\":%" PRIu64 ",\"heap_bytes\":%" PRIu64
      ",\"live_bytes\":%" PRIu64 ",\"frames\":%" PRIu64 ",\"finalizers\":%" PRIu64,
      event->number, spgc_reason_name(event->reason), event->stop_ns,
      event->end_ns - event->begin_ns, name_of_nursery(event->nursery), event->nursery_bytes,
      event->moved_objects, event->moved_bytes, event->promoted_bytes, event->allocated_bytes,
      event->born_old_bytes, event->heap_bytes_before, event->heap_bytes, event->live_bytes,
      event->frames, collection->finalizers);
}

/* The slice of the stop extends to the pause, so that the parts fill their collection. A second
 * collection in a stop has no such slice. */
static void draw_parts(struct spgc_trace_timeline *timeline, struct spgc_trace_slice whole,
                       uint64_t pause_begin_ns) {
  const struct spgc_trace_collection *collection = &timeline->collection;
  struct spgc_trace_slice part = {whole.track, spgc_pause_part_name(SPGC_PAUSE_STOP),
                                  whole.begin_ns, pause_begin_ns};
  spgc_trace_file_slice(timeline->file, &part, "");
  for (size_t i = 0; i < collection->count; i++) {
    const struct spgc_pause_part_event *event =
        SPGC_MAPPED_AT(&collection->parts, struct spgc_pause_part_event, i);
    part.name = spgc_pause_part_name(event->part);
    part.begin_ns = event->begin_ns;
    part.end_ns = event->end_ns;
    spgc_trace_file_slice(timeline->file, &part, "");
  }
}

static void count(struct spgc_trace_timeline *timeline, const char *name, uint64_t ns,
                  uint64_t bytes) {
  const struct arguments arguments = describe("\"bytes\":%" PRIu64, bytes);
  spgc_trace_file_counter(timeline->file, name, ns, arguments.text);
}

static void draw_collection_end(struct spgc_trace_timeline *timeline,
                                const struct spgc_collection_end_event *event) {
  struct spgc_trace_collection *collection = &timeline->collection;
  struct spgc_trace_track *track = track_of(timeline, event->thread);
  if (track == NULL)
    return;
  if (collection->number != event->number)
    expect(collection, event->number, 0);
  spgc_trace_track_flush(&timeline->tracks, track);
  bool has_stop = !track->collected && collection->asked_ns != 0;
  struct spgc_trace_slice whole = {.track = track->number,
                                   .name = name_of(event),
                                   .begin_ns = has_stop ? collection->asked_ns : event->begin_ns,
                                   .end_ns = event->end_ns};
  const struct arguments arguments = describe_collection(event, collection);
  spgc_trace_file_slice(timeline->file, &whole, arguments.text);
  draw_parts(timeline, whole, event->begin_ns);
  track->collected = true;
  count(timeline, "heap", event->begin_ns, event->heap_bytes_before);
  count(timeline, "heap", event->end_ns, event->heap_bytes);
  count(timeline, "old space", event->end_ns, event->old_bytes);
  count(timeline, "live", event->end_ns, event->live_bytes);
}

static void draw_worker(struct spgc_trace_timeline *timeline,
                        const struct spgc_worker_event *event) {
  put(timeline, spgc_trace_track(&timeline->tracks, SPGC_TRACE_TRACK_WORKERS + event->worker, 0),
      (struct spgc_trace_held){.slice = {0, "collecting", event->begin_ns, event->end_ns}});
}

/* ---- The cycle of the old space ---- */

static const char *name_of_phase(enum spgc_cycle_phase phase, bool partial) {
  switch (phase) {
  case SPGC_CYCLE_IDLE: break;
  case SPGC_CYCLE_MARKING: return partial ? "partial marking" : "marking";
  case SPGC_CYCLE_MARKED: return "marked";
  case SPGC_CYCLE_SWEEPING: return "sweeping";
  }
  return "idle";
}

static void draw_phase(struct spgc_trace_timeline *timeline, uint64_t end_ns) {
  const struct spgc_cycle_event *cycle = &timeline->cycle;
  if (cycle->phase == SPGC_CYCLE_IDLE)
    return;
  put(timeline, spgc_trace_track(&timeline->tracks, SPGC_TRACE_TRACK_CYCLE, 0),
      (struct spgc_trace_held){
          .slice = {0, name_of_phase(cycle->phase, cycle->partial), cycle->ns, end_ns}});
}

static void draw_cycle(struct spgc_trace_timeline *timeline, const struct spgc_cycle_event *event) {
  if (event->phase == timeline->cycle.phase)
    return;
  draw_phase(timeline, event->ns);
  timeline->cycle = *event;
}

static const char *name_of_step(enum spgc_cycle_phase phase) {
  bool takes_it_on = phase == SPGC_CYCLE_MARKING || phase == SPGC_CYCLE_SWEEPING;
  return takes_it_on ? name_of_phase(phase, false) : "idle pages";
}

static void draw_cycle_step(struct spgc_trace_timeline *timeline,
                            const struct spgc_cycle_step_event *event) {
  struct spgc_trace_track *track =
      event->thread != 0 ? track_of(timeline, event->thread)
                         : spgc_trace_track(&timeline->tracks, SPGC_TRACE_TRACK_STEPS, 0);
  put(timeline, track,
      (struct spgc_trace_held){
          .slice = {0, name_of_step(event->phase), event->begin_ns, event->end_ns},
          .steps = 1,
          .busy_ns = event->end_ns - event->begin_ns});
}

/* ---- Threads ---- */

static void draw_thread_attached(struct spgc_trace_timeline *timeline,
                                 const struct spgc_thread_event *event) {
  spgc_trace_track(&timeline->tracks, SPGC_TRACE_TRACK_MUTATORS + event->thread,
                   event->system_thread);
}

static void draw_thread_detached(struct spgc_trace_timeline *timeline,
                                 const struct spgc_thread_event *event) {
  struct spgc_trace_track *track = track_of(timeline, event->thread);
  if (track != NULL)
    spgc_trace_track_remove(&timeline->tracks, track);
}

static void draw_blocking(struct spgc_trace_timeline *timeline,
                          const struct spgc_blocking_event *event) {
  put(timeline, track_of(timeline, event->thread),
      (struct spgc_trace_held){.slice = {0, "blocking", event->begin_ns, event->end_ns}});
}

/* ---- Instants ---- */

static void draw_resized(struct spgc_trace_timeline *timeline, const char *name,
                         const struct spgc_resized_event *event) {
  const struct arguments arguments = describe("\"from_bytes\":%" PRIu64 ",\"to_bytes\":%" PRIu64,
                                              event->from_bytes, event->to_bytes);
  spgc_trace_file_instant(timeline->file, name, event->ns, arguments.text);
}

static void draw_nursery_resized(struct spgc_trace_timeline *timeline,
                                 const struct spgc_resized_event *event) {
  draw_resized(timeline, "nursery resized", event);
  count(timeline, "nursery", event->ns, event->to_bytes);
}

static void draw_target_resized(struct spgc_trace_timeline *timeline,
                                const struct spgc_resized_event *event) {
  draw_resized(timeline, "target resized", event);
}

static void draw_blocks_refused(struct spgc_trace_timeline *timeline,
                                const struct spgc_blocks_refused_event *event) {
  const struct arguments arguments =
      describe("\"bytes\":%" PRIu64 ",\"by\":\"%s\",\"for\":\"%s\"", event->bytes,
               event->by == SPGC_REFUSED_BY_LIMIT ? "limit" : "system",
               event->for_copies ? "copies" : "allocation");
  spgc_trace_file_instant(timeline->file, "blocks refused", event->ns, arguments.text);
}

static void draw_out_of_memory(struct spgc_trace_timeline *timeline,
                               const struct spgc_out_of_memory_event *event) {
  const struct arguments arguments =
      describe("\"thread\":\"mutator %" PRIu64 "\",\"requested_bytes\":%" PRIu64, event->thread,
               event->requested_bytes);
  spgc_trace_file_instant(timeline->file, "out of memory", event->ns, arguments.text);
}

/* ---- All ---- */

void spgc_trace_timeline_begin(struct spgc_trace_timeline *timeline, struct spgc_trace_file *file) {
  *timeline = (struct spgc_trace_timeline){
      .file = file, .tracks = {.file = file}, .cycle = {.phase = SPGC_CYCLE_IDLE}};
  spgc_trace_track(&timeline->tracks, SPGC_TRACE_TRACK_EVENTS, 0);
}

void spgc_trace_timeline_draw(struct spgc_trace_timeline *timeline,
                              const struct spgc_trace_record *record) {
  switch (record->kind) {
#define DRAW(name)                                                                                 \
  case SPGC_TRACE_##name: draw_##name(timeline, &record->event.name); break
    DRAW(world_stopped);
    DRAW(thread_stopped);
    DRAW(world_resumed);
    DRAW(thread_waited);
    DRAW(collection_begin);
    DRAW(pause_part);
    DRAW(collection_end);
    DRAW(nursery_resized);
    DRAW(target_resized);
    DRAW(thread_attached);
    DRAW(thread_detached);
    DRAW(blocking);
    DRAW(blocks_refused);
    DRAW(finalizers_queued);
    DRAW(cycle);
    DRAW(cycle_step);
    DRAW(worker);
    DRAW(out_of_memory);
#undef DRAW
  }
}

void spgc_trace_timeline_note_lost(struct spgc_trace_timeline *timeline, uint64_t lost) {
  if (lost == timeline->lost)
    return;
  const struct arguments arguments = describe("\"events\":%" PRIu64, lost - timeline->lost);
  timeline->lost = lost;
  spgc_trace_file_instant(timeline->file, "events lost", spgc_clock_ns(), arguments.text);
}

void spgc_trace_timeline_end(struct spgc_trace_timeline *timeline) {
  draw_phase(timeline, spgc_clock_ns());
  spgc_trace_tracks_end(&timeline->tracks);
  spgc_mapped_array_free(&timeline->collection.parts);
}
