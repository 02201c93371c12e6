#include "observe/timeline/trace_tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_GAP_NS = 50000 }; /* between steps that become one slice */

static struct spgc_trace_track *items_of(const struct spgc_trace_tracks *tracks) {
  return SPGC_MAPPED_AT(&tracks->array, struct spgc_trace_track, 0);
}

static size_t place_of(const struct spgc_trace_tracks *tracks, uint64_t number) {
  size_t low = 0, high = tracks->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (items_of(tracks)[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void name_track(struct spgc_trace_tracks *tracks, uint64_t number, int64_t system_thread) {
  char name[64];
  if (number == SPGC_TRACE_TRACK_EVENTS)
    snprintf(name, sizeof name, "events");
  else if (number == SPGC_TRACE_TRACK_CYCLE)
    snprintf(name, sizeof name, "old space");
  else if (number == SPGC_TRACE_TRACK_STEPS)
    snprintf(name, sizeof name, "collector");
  else if (number <= SPGC_TRACE_TRACK_MUTATORS)
    snprintf(name, sizeof name, "worker %" PRIu64, number - SPGC_TRACE_TRACK_WORKERS);
  else
    snprintf(name, sizeof name, "mutator %" PRIu64, number - SPGC_TRACE_TRACK_MUTATORS);
  spgc_trace_file_name(tracks->file, number, name, system_thread);
}

struct spgc_trace_track *spgc_trace_track(struct spgc_trace_tracks *tracks, uint64_t number,
                                          int64_t system_thread) {
  size_t place = place_of(tracks, number);
  if (place < tracks->count && items_of(tracks)[place].number == number)
    return &items_of(tracks)[place];
  if (!spgc_mapped_array_reserve(&tracks->array,
                                 (tracks->count + 1) * sizeof(struct spgc_trace_track)))
    return NULL;
  struct spgc_trace_track *track = &items_of(tracks)[place];
  memmove(track + 1, track, (tracks->count - place) * sizeof *track);
  tracks->count++;
  *track = (struct spgc_trace_track){.number = number};
  name_track(tracks, number, system_thread);
  return track;
}

static void write_held(struct spgc_trace_file *file, const struct spgc_trace_held *held) {
  char arguments[96] = "";
  if (held->steps != 0)
    snprintf(arguments, sizeof arguments, "\"steps\":%" PRIu64 ",\"busy_ns\":%" PRIu64, held->steps,
             held->busy_ns);
  else if (held->to_stop_ns != 0)
    snprintf(arguments, sizeof arguments, "\"to_safepoint_ns\":%" PRIu64, held->to_stop_ns);
  spgc_trace_file_slice(file, &held->slice, arguments);
}

void spgc_trace_track_flush(struct spgc_trace_tracks *tracks, struct spgc_trace_track *track) {
  if (track->held.slice.name != NULL)
    write_held(tracks->file, &track->held);
  track->held.slice.name = NULL;
}

static bool continues(const struct spgc_trace_held *held, const struct spgc_trace_held *next) {
  return held->slice.name == next->slice.name && held->steps != 0 && next->steps != 0 &&
         next->slice.begin_ns - held->slice.end_ns <= MOST_GAP_NS;
}

static bool contains(const struct spgc_trace_held *next, const struct spgc_trace_held *held) {
  return held->slice.name != NULL && next->slice.begin_ns <= held->slice.begin_ns &&
         held->slice.end_ns <= next->slice.end_ns;
}

void spgc_trace_track_put(struct spgc_trace_tracks *tracks, struct spgc_trace_track *track,
                          const struct spgc_trace_held *next) {
  if (continues(&track->held, next)) {
    track->held.slice.end_ns = next->slice.end_ns;
    track->held.steps += next->steps;
    track->held.busy_ns += next->busy_ns;
    return;
  }
  if (contains(next, &track->held)) {
    write_held(tracks->file, next);
    spgc_trace_track_flush(tracks, track);
    return;
  }
  spgc_trace_track_flush(tracks, track);
  track->held = *next;
}

void spgc_trace_track_remove(struct spgc_trace_tracks *tracks, struct spgc_trace_track *track) {
  spgc_trace_track_flush(tracks, track);
  size_t place = (size_t)(track - items_of(tracks));
  memmove(track, track + 1, (--tracks->count - place) * sizeof *track);
}

void spgc_trace_tracks_end(struct spgc_trace_tracks *tracks) {
  for (size_t i = 0; i < tracks->count; i++)
    spgc_trace_track_flush(tracks, &items_of(tracks)[i]);
  spgc_mapped_array_free(&tracks->array);
  tracks->count = 0;
}
