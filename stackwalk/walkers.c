#include "stackwalk/walkers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

/* Sequentially consistent all: who enters after the phase changed sees what was published before. */
static _Atomic uint64_t inside[2];
static _Atomic unsigned phase;                              /* under `waiting` */
static pthread_mutex_t waiting = PTHREAD_MUTEX_INITIALIZER; /* one waits at a time */

unsigned spgc_walkers_enter(void) {
  unsigned entered = atomic_load(&phase);
  atomic_fetch_add(&inside[entered], 1);
  return entered;
}

void spgc_walkers_leave(unsigned entered) {
  atomic_fetch_sub(&inside[entered], 1);
}

/* Twice, because a walker may have read the phase long before it counts itself. */
void spgc_walkers_wait(void) {
  pthread_mutex_lock(&waiting);
  for (int i = 0; i < 2; i++) {
    unsigned before = atomic_load(&phase);
    atomic_store(&phase, 1 - before);
    while (atomic_load(&inside[before]) != 0)
      sched_yield();
  }
  pthread_mutex_unlock(&waiting);
}
