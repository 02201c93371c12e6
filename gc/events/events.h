/* Events inside the collector: what the public listeners hear (spgc/events.h).
 *
 * A point of the collector delivers an event by
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

/* A bit for each event that a listener hears. Written like the list. */
extern uint64_t spgc_heard;

/* Functions of listeners that run in the calling thread and may not reach a safepoint: of all
 * events but out_of_memory. */
extern _Thread_local unsigned spgc_listening __attribute__((tls_model("initial-exec")));

/* Adds a listener at the end. False if it is there already. Any thread, with any lock. */
bool spgc_listener_link(struct spgc_listener *listener);

/* Whether the listener was there. Threads that are not attached may still run its functions. Any
 * thread, with any lock. The heap is not started, or about to stop. */
bool spgc_listener_unlink(struct spgc_listener *listener);

/* Returns once no thread is running a function of a listener that returns. The caller runs none,
 * and holds no lock. */
void spgc_listeners_wait(void);

/* Called around a fork. The calling thread runs no function that would be waited for, and no other
 * thread exists in the child. */
void spgc_listeners_fork_lock(void);
void spgc_listeners_fork_unlock(void);
void spgc_listeners_fork_unlock_in_child(void);

/* Each probe has a semaphore, which the system's tracer increments while it uses the probe. The
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
