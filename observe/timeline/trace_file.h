/* The file of a trace: Chrome's trace event JSON, an event a line.
 *
 *   {"displayTimeUnit":"ns","otherData":{...},"traceEvents":[
 *   {"ph":"M", ...},      names of the process and of tracks
 *   {"ph":"X", ...},      slices: they nest within a track
 *   {"ph":"C", ...},      counters
 *   {"ph":"i", ...}       instants
 *   ]}
 *
 * Times are microseconds since the trace began, in multiples of 1/64 us, which a double holds
 * exactly. So slices touch exactly. Shorter slices are omitted.
 *
 * Whenever the writer rests, FILE.PROCESS.part ends with a whole event and the closing brackets, so
 * that a crash leaves a readable trace. */
#ifndef SPGC_OBSERVE_TIMELINE_TRACE_FILE_H
#define SPGC_OBSERVE_TIMELINE_TRACE_FILE_H

#include "observe/output.h"

/* Readers would take thread 0 for the system's idle thread. */
enum spgc_trace_track_number {
  SPGC_TRACE_TRACK_EVENTS = 1,   /* instants and counters */
  SPGC_TRACE_TRACK_CYCLE = 2,    /* phases of the old space's cycle */
  SPGC_TRACE_TRACK_STEPS = 3,    /* the cycle's thread */
  SPGC_TRACE_TRACK_WORKERS = 3,  /* plus the worker's number, from 1 */
  SPGC_TRACE_TRACK_MUTATORS = 99 /* plus the mutator's number, from 1 */
};

struct spgc_trace_file {
  struct spgc_output output;
  uint64_t origin_ns; /* the beginning of the trace */
  int process;
};

struct spgc_trace_slice {
  uint64_t track;
  const char *name;
  uint64_t begin_ns, end_ns;
};

/* False if it cannot be written (output.error). */
bool spgc_trace_file_begin(struct spgc_trace_file *file, const char *path, uint64_t origin_ns);

/* `system_thread` is the system's ID, or 0. */
void spgc_trace_file_name(struct spgc_trace_file *file, uint64_t track, const char *name,
                          int64_t system_thread);

/* `arguments` are the members of "args" as JSON text, or "". Parents are written before their
 * children. */
void spgc_trace_file_slice(struct spgc_trace_file *file, const struct spgc_trace_slice *slice,
                           const char *arguments);
void spgc_trace_file_counter(struct spgc_trace_file *file, const char *name, uint64_t ns,
                             const char *arguments);
void spgc_trace_file_instant(struct spgc_trace_file *file, const char *name, uint64_t ns,
                             const char *arguments);

/* Writes all events, and the closing brackets. */
void spgc_trace_file_rest(struct spgc_trace_file *file);

/* Gives the file its name. False if it could not be written. */
bool spgc_trace_file_end(struct spgc_trace_file *file);

#endif
