/* A thread's slices, in the order that a reader expects.
 *
 * A track holds its last slice back until the next one: steps of the cycle within microseconds
 * become one slice; and a wait at the end of a blocking call is reported before the call, but a
 * parent is written before its children. */
#ifndef SPGC_OBSERVE_TIMELINE_TRACE_TRACKS_H
#define SPGC_OBSERVE_TIMELINE_TRACE_TRACKS_H

#include "observe/mapped_array.h"
#include "observe/timeline/trace_file.h"

struct spgc_trace_held {
  struct spgc_trace_slice slice; /* without a name: none */
  uint64_t steps, busy_ns;       /* for steps; 0 for other slices */
  uint64_t to_stop_ns;           /* for a wait: from the request to the thread's stop; 0: unknown */
};

struct spgc_trace_track {
  uint64_t number;
  struct spgc_trace_held held;
  uint64_t to_stop_ns; /* for the stop that the thread waits in */

  /* Of the stop that this thread has made. */
  uint64_t asked_ns, stopped_ns;
  bool collected;
};

struct spgc_trace_tracks {
  struct spgc_trace_file *file;
  struct spgc_mapped_array array; /* ordered by number */
  size_t count;
};

/* Made and named on first use. Valid until the next is made. NULL if out of memory. */
struct spgc_trace_track *spgc_trace_track(struct spgc_trace_tracks *tracks, uint64_t number,
                                          int64_t system_thread);

void spgc_trace_track_flush(struct spgc_trace_tracks *tracks, struct spgc_trace_track *track);

/* The slice must begin after earlier ones, or contain the last of them. */
void spgc_trace_track_put(struct spgc_trace_tracks *tracks, struct spgc_trace_track *track,
                          const struct spgc_trace_held *next);

/* Called when the thread is gone. */
void spgc_trace_track_remove(struct spgc_trace_tracks *tracks, struct spgc_trace_track *track);

/* Writes the slices held back. */
void spgc_trace_tracks_end(struct spgc_trace_tracks *tracks);

#endif
