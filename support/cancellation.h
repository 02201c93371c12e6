/* The library's functions are not cancellation points: a cancelled thread may have stopped the
 * world, hold a lock, or have managed callers that expect a result. So waiting, writing and reading
 * disable cancellation. A request stays pending until a cancellation point of the program. */
#ifndef SPGC_SUPPORT_CANCELLATION_H
#define SPGC_SUPPORT_CANCELLATION_H

#include <pthread.h>
#include <stdbool.h>

struct spgc_cancellation {
  int state;
};

static inline struct spgc_cancellation spgc_cancellation_defer(void) {
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

/* Until the end of the block, even if an exception leaves it. */
#define SPGC_UNCANCELLED                                                                           \
  __attribute__((cleanup(spgc_cancellation_release)))                                              \
  const struct spgc_cancellation cancellation_before = spgc_cancellation_defer()

/* The calling thread may be cancelled at any instruction. */
static inline bool spgc_cancellation_is_asynchronous(void) {
  int before;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before);
  if (before == PTHREAD_CANCEL_ASYNCHRONOUS)
    pthread_setcanceltype(before, NULL);
  return before == PTHREAD_CANCEL_ASYNCHRONOUS;
}

#endif
