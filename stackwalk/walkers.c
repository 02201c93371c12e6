#include "stackwalk/walkers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "support/fatal.h"
#include "support/futex.h"

/* All accesses are sequentially consistent. So a walker that enters after the phase changed sees
 * everything published before. Either the walker that brings a count to zero sees that a thread
 * sleeps, or that thread sees the zero first. Likewise an entering walker sees that the process
 * forks, or the forking thread sees the count. */
static _Atomic uint32_t inside[2];
static _Atomic unsigned phase; /* written under `waiting` */
static atomic_bool sleeps;     /* written under `waiting`: a thread waits for a zero */
static atomic_bool forks;      /* written under `waiting`: other threads may not enter */
static pthread_mutex_t waiting = PTHREAD_MUTEX_INITIALIZER; /* only one thread waits at a time */

/* The calling thread's entries into each count. */
static _Thread_local uint32_t mine[2] __attribute__((tls_model("initial-exec")));

unsigned spgc_walkers_depth(void) {
  return mine[0] + mine[1];
}

static void leave(unsigned entered) {
  if (atomic_fetch_sub(&inside[entered], 1) == 1 && atomic_load(&sleeps))
    spgc_futex_wake(&inside[entered]);
}

/* Fails while another thread forks. */
static bool try_to_enter(unsigned entered) {
  atomic_fetch_add(&inside[entered], 1);
  if (atomic_load(&forks) && !spgc_walkers_is_inside()) {
    leave(entered);
    return false;
  }
  mine[entered]++;
  return true;
}

static void enter(unsigned entered) {
  while (!try_to_enter(entered)) {
    pthread_mutex_lock(&waiting);
    pthread_mutex_unlock(&waiting);
  }
}

unsigned spgc_walkers_enter(void) {
  unsigned entered = atomic_load(&phase);
  enter(entered);
  return entered;
}

void spgc_walkers_leave(unsigned entered) {
  mine[entered]--;
  leave(entered);
}

void spgc_walkers_call_outside(void (*act)(void *context), void *context) {
  const uint32_t before[] = {mine[0], mine[1]};
  for (unsigned i = 0; i < 2; i++)
    while (mine[i] != 0)
      spgc_walkers_leave(i);
  act(context);
  for (unsigned i = 0; i < 2; i++)
    while (mine[i] != before[i])
      enter(i);
}

static void wait_for_zero(_Atomic uint32_t *count) {
  uint32_t left;
  while ((left = atomic_load(count)) != 0)
    spgc_futex_wait(count, left);
}

/* Both counts, because a walker may read the phase long before it counts itself. */
void spgc_walkers_wait(void) {
  spgc_require(!spgc_walkers_is_inside(), "a visitor of a stack walk waits for the walk's own end: "
                                          "unregister stack maps outside of walks");
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

/* Whether each count has been zero since the call began. */
bool spgc_walkers_have_left(void) {
  return atomic_load(&inside[0]) == 0 && atomic_load(&inside[1]) == 0;
}

void spgc_walkers_fork_lock(void) {
  pthread_mutex_lock(&waiting);
  if (spgc_walkers_is_inside())
    return;
  atomic_store(&sleeps, true);
  atomic_store(&forks, true);
  wait_for_zero(&inside[0]);
  wait_for_zero(&inside[1]);
}

void spgc_walkers_fork_unlock(void) {
  atomic_store(&forks, false);
  atomic_store(&sleeps, false);
  pthread_mutex_unlock(&waiting);
}

void spgc_walkers_fork_unlock_in_child(void) {
  for (int i = 0; i < 2; i++)
    atomic_store(&inside[i], mine[i]);
  spgc_walkers_fork_unlock();
}
