/* Counts walks in progress, so that data is freed only when no walker can read it any more.
 *
 * Walkers enter and leave a count without waiting. A thread that unpublishes data waits until every
 * walker that may have found it has left. There are two counts, of which `phase` names the one to
 * enter, so that a stream of walks cannot keep both above zero for ever (as in McKenney's sleepable
 * read-copy update: https://lwn.net/Articles/202847/).
 *
 * A waiting thread sleeps, so threads of any priority may wait. The walker that brings a count to
 * zero wakes it. */
#ifndef SPGC_STACKWALK_WALKERS_H
#define SPGC_STACKWALK_WALKERS_H

#include <stdbool.h>

/* Any thread. The result is for the matching spgc_walkers_leave. Cancellation is off until then,
 * because others would wait for ever for a cancelled walker. */
unsigned spgc_walkers_enter(void);
void spgc_walkers_leave(unsigned entered);

/* Calls act(context) inside a walk, as if outside: the calling thread leaves its walks and enters
 * them again, so that `act` may wait for walkers. Maps that the walk uses stay, because code with
 * frames is not unregistered. */
void spgc_walkers_call_outside(void (*act)(void *context), void *context);

/* Around a fork: no other thread is inside, so the child inherits no half-done work; threads that
 * want to enter wait. A thread that forks inside a walk waits for no other. */
void spgc_walkers_fork_lock(void);
void spgc_walkers_fork_unlock(void);

void spgc_walkers_fork_unlock_in_child(void);

/* Counts the calling thread's walks. */
unsigned spgc_walkers_depth(void);

static inline bool spgc_walkers_is_inside(void) {
  return spgc_walkers_depth() != 0;
}

/* Returns when all walkers that had entered have left. Not inside a walk. */
void spgc_walkers_wait(void);

/* False if that cannot be known without waiting. */
bool spgc_walkers_have_left(void);

#endif
