/* No function of the library is a cancellation point: a thread that is cancelled in one has stopped
 * the world, or holds a lock, or has managed frames above it that expect an answer. What may wait,
 * write or read is done with cancellation held off; a request stays pending until the program comes
 * to a cancellation point of its own. What the program's own functions do, hooks and those called
 * by spgc_call_blocking, is left to them.
 */
#ifndef SPGC_SUPPORT_CANCELLATION_H
#define SPGC_SUPPORT_CANCELLATION_H

#include <pthread.h>
#include <stdbool.h>

struct spgc_cancellation {
  int state; /* before */
};

static inline struct spgc_cancellation spgc_cancellation_hold(void) {
  struct spgc_cancellation before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.state);
  return before;
}

static inline void spgc_cancellation_restore(struct spgc_cancellation before) {
  pthread_setcancelstate(before.state, NULL);
}

static inline void spgc_cancellation_release(const struct spgc_cancellation *before) {
  spgc_cancellation_restore(*before);
}

/* To the end of the block, also when it is left by an exception. */
#define SPGC_UNCANCELLED                                                                           \
  __attribute__((cleanup(spgc_cancellation_release)))                                              \
  const struct spgc_cancellation cancellation_before = spgc_cancellation_hold()

/* Whether the calling thread may be cancelled at any instruction. */
static inline bool spgc_cancellation_is_asynchronous(void) {
  int before;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before);
  if (before == PTHREAD_CANCEL_ASYNCHRONOUS)
    pthread_setcanceltype(before, NULL);
  return before == PTHREAD_CANCEL_ASYNCHRONOUS;
}

#endif
