/* Forking with locks of one's own.
 *
 * fork stops the world, takes the library's locks, and lets both go on in parent and child, so that
 * the child has no lock that is held by a thread it does not have (docs/threads.md). A lock of the
 * program that attached threads wait for while they run has to be taken after the world was
 * stopped: a thread that holds such a lock and waits for the world would wait for a thread that
 * waits for the lock. pthread_atfork cannot say that; this does.
 */
#ifndef SPGC_FORK_H
#define SPGC_FORK_H

#include <pthread.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The program's; must stay until it is removed. */
struct spgc_fork_lock {
  pthread_mutex_t *mutex;
  struct spgc_fork_lock *next; /* the library's */
};

/* Has fork take `lock->mutex` before it copies the process, in the order in which locks were added,
 * and release it in parent and child. Nobody may hold the mutex at a safepoint, while attaching, or
 * while adding and removing locks. Any thread, any state. */
void spgc_fork_lock_add(struct spgc_fork_lock *lock);

/* Takes it back. Any thread, any state. */
void spgc_fork_lock_remove(struct spgc_fork_lock *lock);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
