/* Forking in a program with locks of its own.
 *
 * fork stops the world, takes the library's locks, and releases both in parent and child. So in the
 * child no lock is held by a thread that does not exist there (docs/threads.md). If attached
 * threads wait for a lock of the program while they run, fork must take that lock after it has
 * stopped the world. Otherwise the forking thread would hold the lock and wait for the world, while
 * another thread waits for the lock and does not stop. pthread_atfork cannot order this; these
 * functions do.
 *
 * A handler of pthread_atfork that was registered before the heap was first started runs while the
 * world is stopped. It may not reach a safepoint, attach or detach; such a call ends the process
 * with a message. */
#ifndef SPGC_FORK_H
#define SPGC_FORK_H

#include <pthread.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A lock of the program. The caller owns the structure and keeps it until it is removed. */
struct spgc_fork_lock {
  pthread_mutex_t *mutex;
  struct spgc_fork_lock *next; /* written by the library */
};

/* Lets fork take `lock->mutex` before it copies the process, and release it in parent and child.
 * Locks are taken in the order in which they were added. No thread may hold the mutex at a
 * safepoint, while it attaches, or while it adds or removes locks. Fatal if the lock was added
 * before. Two locks with one mutex need a recursive one. Any thread, any state. */
void spgc_fork_lock_add(struct spgc_fork_lock *lock);

/* Removes a lock. Does nothing if it was not added. Any thread, any state. */
void spgc_fork_lock_remove(struct spgc_fork_lock *lock);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
