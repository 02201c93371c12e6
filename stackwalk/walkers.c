#include "stackwalk/walkers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "support/futex.h"

/* Sequentially consistent all: who enters after the phase changed sees what was published before; and either the walker
 * that leaves a count at zero sees that somebody sleeps, or who is about to sleep sees the zero. */
static _Atomic uint32_t inside[2];
static _Atomic unsigned phase;                              /* under `waiting` */
static atomic_bool sleeps;                                  /* under `waiting`: somebody waits for a zero */
static pthread_mutex_t waiting = PTHREAD_MUTEX_INITIALIZER; /* one waits at a time */

unsigned spgc_walkers_enter(void) {
  unsigned entered = atomic_load(&phase);
  atomic_fetch_add(&inside[entered], 1);
  return entered;
}

void spgc_walkers_leave(unsigned entered) {
  if (atomic_fetch_sub(&inside[entered], 1) == 1 && atomic_load(&sleeps))
    spgc_futex_wake(&inside[entered]);
}

static void wait_for_zero(_Atomic uint32_t *count) {
  uint32_t left;
  while ((left = atomic_load(count)) != 0)
    spgc_futex_wait(count, left);
}

/* Twice, because a walker may have read the phase long before it counts itself. */
void spgc_walkers_wait(void) {
  pthread_mutex_lock(&waiting);
  atomic_store(&sleeps, true);
  for (int i = 0; i < 2; i++) {
    unsigned before = atomic_load(&phase);
    atomic_store(&phase, 1 - before);
    wait_for_zero(&inside[before]);
  }
  atomic_store(&sleeps, false);
  pthread_mutex_unlock(&waiting);
}

/* Each count was zero once since the call began. */
bool spgc_walkers_have_left(void) {
  return atomic_load(&inside[0]) == 0 && atomic_load(&inside[1]) == 0;
}
