/* Which walks are under way, for those who take away what walkers may be reading.
 *
 * A walker never waits: it enters and leaves a count. Whoever unpublishes something waits until
 * every walker that may have found it has left; walkers that enter later cannot find it. There are
 * two counts, and walkers enter the one that `phase` names, so that a stream of walks cannot keep
 * one of them from ever being zero (as in McKenney's sleepable read-copy update:
 * https://lwn.net/Articles/202847/).
 *
 * Who waits sleeps, so that a thread of any priority may, and is woken by the walker that leaves a
 * count at zero: at most once for each of the two.
 */
#ifndef SPGC_STACKWALK_WALKERS_H
#define SPGC_STACKWALK_WALKERS_H

#include <stdbool.h>

/* Any thread. The answer is what to leave with. */
unsigned spgc_walkers_enter(void);
void spgc_walkers_leave(unsigned entered);

/* Around a fork. Between the two no other thread is inside, so that the child has nothing half made
 * by a walker it lacks; threads that enter wait. A thread that forks inside a walk waits for
 * nobody. */
void spgc_walkers_fork_hold(void);
void spgc_walkers_fork_release(void);

/* In the child, where only the calling thread can be inside. */
void spgc_walkers_fork_release_in_child(void);

/* Whether the calling thread is inside: in a walk's visitor. */
bool spgc_walkers_is_inside(void);

/* Returns when all who had entered have left. Not inside a walk. */
void spgc_walkers_wait(void);

/* Whether all who had entered have left, as far as can be told without waiting. */
bool spgc_walkers_have_left(void);

#endif
