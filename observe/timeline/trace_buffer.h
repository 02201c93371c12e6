/* The buffer of events, between the threads that report them and the writer of the trace.
 *
 *   taken                     added                      taken + SPGC_TRACE_BUFFER_EVENTS
 *     | to be written           | free                     |
 *     +-------------------------+--------------------------+
 *
 * Any number of threads add, one takes, and none waits: an event without a free place is lost, and
 * counted. Frequent events (blocking calls, steps of the cycle) must leave the last quarter to
 * others, so that pauses are lost last.
 *
 * The memory is kept, because a thread that is not attached, such as one that forks, may report an
 * event while the heap is stopped. */
#ifndef SPGC_OBSERVE_TIMELINE_TRACE_BUFFER_H
#define SPGC_OBSERVE_TIMELINE_TRACE_BUFFER_H

#include <stdatomic.h>

#include "spgc/events.h"

enum { SPGC_TRACE_BUFFER_EVENTS = 1 << 14 };

enum spgc_trace_kind {
#define SPGC_EVENT(name, type, when) SPGC_TRACE_##name,
  SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT
};

struct spgc_trace_record {
  enum spgc_trace_kind kind;
  union {
#define SPGC_EVENT(name, type, when) struct type name;
    SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT
  } event;
};

/* `turn` is p if event number p may be put here, p + 1 if it is here, and p +
 * SPGC_TRACE_BUFFER_EVENTS once it was taken. */
struct spgc_trace_place {
  _Atomic uint64_t turn; /* pairs the writes of `record` with its reads */
  struct spgc_trace_record record;
};

struct spgc_trace_buffer {
  struct spgc_trace_place *places; /* constant once set */
  _Atomic uint64_t added;          /* the next event's number */
  _Atomic uint64_t taken;          /* written by the taking thread */
  _Atomic uint64_t lost;
};

/* No other thread may use the buffer. False if out of memory. */
bool spgc_trace_buffer_begin(struct spgc_trace_buffer *buffer);

/* Returns its pages to the system. */
void spgc_trace_buffer_end(struct spgc_trace_buffer *buffer);

/* Returns whether the buffer is more than half full. Any thread. */
bool spgc_trace_buffer_add(struct spgc_trace_buffer *buffer, enum spgc_trace_kind kind,
                           const void *event, size_t size);

/* False if the buffer is empty. */
bool spgc_trace_buffer_take(struct spgc_trace_buffer *buffer, struct spgc_trace_record *record);

#endif
