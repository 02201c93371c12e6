/* Draws events on the tracks that docs/observe.md lists. */
#ifndef SPGC_OBSERVE_TIMELINE_TRACE_TIMELINE_H
#define SPGC_OBSERVE_TIMELINE_TRACE_TIMELINE_H

#include "observe/timeline/trace_buffer.h"
#include "observe/timeline/trace_tracks.h"

struct spgc_trace_collection {
  uint64_t number, asked_ns;
  struct spgc_mapped_array parts; /* struct spgc_pause_part_event */
  size_t count;
  uint64_t finalizers; /* the number queued */
};

struct spgc_trace_timeline {
  struct spgc_trace_file *file;
  struct spgc_trace_tracks tracks;
  struct spgc_trace_collection collection;
  struct spgc_cycle_event cycle; /* current phase, and since when */
  uint64_t lost;                 /* events so far */
};

void spgc_trace_timeline_begin(struct spgc_trace_timeline *timeline, struct spgc_trace_file *file);

void spgc_trace_timeline_draw(struct spgc_trace_timeline *timeline,
                              const struct spgc_trace_record *record);

/* `lost` counts since the trace began. */
void spgc_trace_timeline_note_lost(struct spgc_trace_timeline *timeline, uint64_t lost);

void spgc_trace_timeline_end(struct spgc_trace_timeline *timeline);

#endif
