/* Events for the public listeners (spgc/events.h), delivered as in
 *
 *   SPGC_TELL(blocking, spgc_blocking_event, .thread = ..., .begin_ns = ..., .end_ns = ...);
 *
 * The initialisers are computed only if a listener or a probe hears the event.
 *
 * A thread that delivers an event holds no lock but the cycle (gc/state/locks.h), and may have
 * stopped the world. */
#ifndef SPGC_GC_EVENTS_EVENTS_H
#define SPGC_GC_EVENTS_EVENTS_H

#include "spgc/events.h"

enum {
#define SPGC_EVENT(name, type, when) SPGC_HEARD_##name,
  SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT
      SPGC_HEARABLE
};

/* A bit for each event that a listener hears. Written with the list. */
extern uint64_t spgc_heard;

/* Running functions of listeners, except out_of_memory: they may not reach a safepoint. */
extern _Thread_local unsigned spgc_listening __attribute__((tls_model("initial-exec")));

/* False if it is there already. Any thread, with any lock. */
bool spgc_listener_link(struct spgc_listener *listener);

/* False if it was not there. Any thread, with any lock, unless the heap is starting or stopping;
 * threads not attached may still run its functions. */
bool spgc_listener_unlink(struct spgc_listener *listener);

/* Until no thread runs a listener's function, except out_of_memory. The caller runs none, and holds
 * no lock. */
void spgc_listeners_wait(void);

/* The caller runs no function of a listener. */
void spgc_listeners_fork_lock(void);
void spgc_listeners_fork_unlock(bool in_child);

/* A tracer increments a probe's semaphore while it uses the probe. Names are from <sys/sdt.h>. */
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
