#include "gc/observe/trace_tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GAP_NS = 50000 }; /* between steps that are written as one slice */

/* ---- Find ---- */

static size_t place_of(const struct spgc_trace_tracks *tracks, uint64_t number) {
  size_t low = 0, high = tracks->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (tracks->items[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool grow(struct spgc_trace_tracks *tracks) {
  enum { FIRST = 16 };
  if (tracks->count < tracks->capacity)
    return true;
  size_t capacity = tracks->capacity == 0 ? FIRST : tracks->capacity * 2;
  void *items = realloc(tracks->items, capacity * sizeof *tracks->items);
  if (items == NULL)
    return false;
  tracks->items = items;
  tracks->capacity = capacity;
  return true;
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
  if (place < tracks->count && tracks->items[place].number == number)
    return &tracks->items[place];
  if (!grow(tracks))
    return NULL;
  struct spgc_trace_track *track = &tracks->items[place];
  memmove(track + 1, track, (tracks->count - place) * sizeof *track);
  tracks->count++;
  *track = (struct spgc_trace_track){.number = number};
  name_track(tracks, number, system_thread);
  return track;
}

/* ---- Slices ---- */

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
  size_t place = (size_t)(track - tracks->items);
  memmove(track, track + 1, (--tracks->count - place) * sizeof *track);
}

void spgc_trace_tracks_end(struct spgc_trace_tracks *tracks) {
  for (size_t i = 0; i < tracks->count; i++)
    spgc_trace_track_flush(tracks, &tracks->items[i]);
  free(tracks->items);
  *tracks = (struct spgc_trace_tracks){.file = tracks->file};
}
