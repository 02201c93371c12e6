/* Forking in a program with locks of its own.
 *
 * fork stops the world, takes the library's locks, and releases both in parent and child, so no
 * lock in the child is held by a thread that does not exist there (docs/threads.md). The program's
 * own locks must be taken after the world is stopped: a thread that waits for a lock of the forking
 * thread does not stop. pthread_atfork cannot order this; these functions do.
 *
 * A pthread_atfork handler that was registered before the heap was first started runs while the
 * world is stopped. If it reaches a safepoint, attaches or detaches, the process ends with a
 * message.
 *
 * The functions are for any thread in any state and are not safepoints. */
#ifndef SPGC_FORK_H
#define SPGC_FORK_H

#include <pthread.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A lock of the program. The caller owns the structure, until it is removed. */
struct spgc_fork_lock {
  pthread_mutex_t *mutex;
  struct spgc_fork_lock *next; /* written by the library */
};

/* Lets fork take `lock->mutex` before it copies the process, in the order of addition, and release
 * it in parent and child. No thread may hold the mutex at a safepoint, while it attaches, or while
 * it adds or removes locks. Two locks with one mutex need a recursive one. Fatal if the lock was
 * added before. */
void spgc_fork_lock_add(struct spgc_fork_lock *lock);

/* Removes a lock. Does nothing if it was not added. */
void spgc_fork_lock_remove(struct spgc_fork_lock *lock);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
