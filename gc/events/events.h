/* Events inside the collector: what the public listeners hear (spgc/events.h), delivered as in
 *
 *   SPGC_TELL(blocking, spgc_blocking_event, .thread = ..., .begin_ns = ..., .end_ns = ...);
 *
 * The initialisers are computed only if a listener or a probe hears the event.
 *
 * A thread that delivers an event holds no lock but the cycle, and may have stopped the world.
 * gc/state/locks.h orders what its functions may call and what waits for it. */
#ifndef SPGC_GC_EVENTS_EVENTS_H
#define SPGC_GC_EVENTS_EVENTS_H

#include "spgc/events.h"

enum {
#define SPGC_EVENT(name, type, when) SPGC_HEARD_##name,
  SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT
      SPGC_HEARABLE
};

/* By a listener, a bit for each event. Written with the list. */
extern uint64_t spgc_heard;

/* That may not reach a safepoint: all but those of out_of_memory. */
extern _Thread_local unsigned spgc_listening __attribute__((tls_model("initial-exec")));

/* At the end. False if it is there already. Any thread, with any lock. */
bool spgc_listener_link(struct spgc_listener *listener);

/* False if it was not there. Threads that are not attached may still run its functions. Any thread,
 * with any lock, while the heap is not started, or about to stop. */
bool spgc_listener_unlink(struct spgc_listener *listener);

/* Until no thread runs a function of a listener, except of out_of_memory. The caller runs none, and
 * holds no lock. */
void spgc_listeners_wait(void);

/* Around a fork. The caller runs no function of a listener. */
void spgc_listeners_fork_lock(void);
void spgc_listeners_fork_unlock(void);
void spgc_listeners_fork_unlock_in_child(void);

/* A tracer increments a probe's semaphore while it uses the probe. The names are those of
 * <sys/sdt.h>. */
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
