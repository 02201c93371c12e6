/* Events inside the collector: what the public listeners hear (spgc/events.h).
 *
 * A point of the collector tells an event by
 *
 *   SPGC_TELL(blocking, spgc_blocking_event, .thread = ..., .begin_ns = ..., .end_ns = ...);
 *
 * The initialisers are computed only if a listener or a probe hears the event.
 */
#ifndef SPGC_GC_EVENTS_EVENTS_H
#define SPGC_GC_EVENTS_EVENTS_H

#include "spgc/events.h"

/* The first of all listeners, linked by `next`. Written under the world's lock, atomically, because
 * any thread may read it. None is removed while the heap is started. */
extern struct spgc_listener *spgc_listeners;

enum {
#define SPGC_EVENT(name, type, when) SPGC_HEARD_##name,
  SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT
      SPGC_HEARABLE
};

/* A bit for each event that a listener hears. Written as the list is. */
extern uint64_t spgc_heard;

/* Whether the calling thread runs a function of a listener that may not come to a safepoint: of all
 * events but out_of_memory. */
extern _Thread_local bool spgc_is_listening __attribute__((tls_model("initial-exec")));

/* Adds a listener at the end, unless it is there. Returns whether it was not. The world is locked.
 */
bool spgc_listener_link(struct spgc_listener *listener);

/* Removes a listener. Returns whether it was there. The world is locked, and the heap not started,
 * or about to stop. */
bool spgc_listener_unlink(struct spgc_listener *listener);

/* Each probe has a semaphore, which the system's tracer counts up while it uses the probe. Their
 * names are those of <sys/sdt.h>. */
#define SPGC_EVENT(name, type, when)                                                               \
  extern volatile unsigned short spgc_##name##_semaphore;                                          \
  void spgc_tell_##name(const struct type *event);                                                 \
  static inline bool spgc_hears_##name(void) {                                                     \
    return (__atomic_load_n(&spgc_heard, __ATOMIC_RELAXED) >> SPGC_HEARD_##name & 1) != 0 ||       \
           spgc_##name##_semaphore != 0;                                                           \
  }
SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT

#define SPGC_TELL(name, type, ...)                                                                 \
  do {                                                                                             \
    if (spgc_hears_##name())                                                                       \
      spgc_tell_##name(&(const struct type){__VA_ARGS__});                                         \
  } while (0)

#endif
