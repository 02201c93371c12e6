/* The tracks of a trace: a thread's slices, in the order that a reader expects.
 *
 * Each track holds its last slice back until the next one comes, for two reasons: steps of the
 * cycle follow each other within microseconds and are written as one slice; and a wait at the end
 * of a blocking call is reported before the call that contains it, but a parent is written before
 * its children. */
#ifndef SPGC_OBSERVE_TIMELINE_TRACE_TRACKS_H
#define SPGC_OBSERVE_TIMELINE_TRACE_TRACKS_H

#include "observe/mapped_array.h"
#include "observe/timeline/trace_file.h"

/* A slice that is held back. */
struct spgc_trace_held {
  struct spgc_trace_slice slice; /* no name: no slice */
  uint64_t steps, busy_ns;       /* number of steps and their total time; 0 for other slices */
  uint64_t to_stop_ns; /* for a wait: from the request until the thread came; 0: unknown */
};

struct spgc_trace_track {
  uint64_t number;
  struct spgc_trace_held held;
  uint64_t to_stop_ns; /* for the stop that the thread waits in */

  /* The stop that this thread has made. */
  uint64_t asked_ns, stopped_ns;
  bool collected;
};

struct spgc_trace_tracks {
  struct spgc_trace_file *file;
  struct spgc_mapped_array array; /* tracks, ordered by number */
  size_t count;
};

/* The track of that number, made and named on first use. Valid until the next one is made. NULL if
 * there is no memory. */
struct spgc_trace_track *spgc_trace_track(struct spgc_trace_tracks *tracks, uint64_t number,
                                          int64_t system_thread);

/* Writes the slice that is held back. */
void spgc_trace_track_flush(struct spgc_trace_tracks *tracks, struct spgc_trace_track *track);

/* Puts a slice on its track, where it is held back. It begins after those before it, or contains
 * the last of them. */
void spgc_trace_track_put(struct spgc_trace_tracks *tracks, struct spgc_trace_track *track,
                          const struct spgc_trace_held *next);

/* The thread of the track is gone. */
void spgc_trace_track_remove(struct spgc_trace_tracks *tracks, struct spgc_trace_track *track);

/* Writes what is held back, and frees all tracks. */
void spgc_trace_tracks_end(struct spgc_trace_tracks *tracks);

#endif
