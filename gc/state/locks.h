/* The collector's locks, in the order in which a thread may take them.
 *
 *   the stopped world              not a lock, but waited for like one (gc/mutator/world.h)
 *   the cycle's                    gc/trace/cycle.h
 *   the program's own locks        spgc_fork_lock_add (spgc/fork.h)
 *   the world's                    SPGC_LOCK_WORLD
 *   the modules'                   SPGC_LOCK_MODULES
 *   the stack walker's             stackwalk/fork.h
 *   HANDLES to HEAP                SPGC_LOCK_...; a thread holds only one of them at a time
 *   those of a collection          gc/trace/worker_pool.h, gc/trace/shared_worklist.h, heap/heap.h;
 *                                  free while nobody holds the cycle
 *   the listeners'                 gc/events/events.h
 *
 * fork takes all of them in this order (gc/mutator/fork.c), because the child lacks the other
 * threads. No thread reaches a safepoint, or is cancelled, with a lock (support/cancellation.h).
 *
 * The loader's locks come before all of these, because a thread may be stopped, or fork, in a
 * constructor or a callback of dl_iterate_phdr. So no dl_iterate_phdr, dladdr, dlopen or dlsym is
 * called under a lock that a collection takes, nor in a pause; _dl_find_object takes none. Likewise
 * no function of the program is called under a lock, except listeners'.
 *
 * A thread that runs a listener's function may hold the cycle, and no lock below it. So fork waits
 * for the cycle before it takes locks that such functions may take; spgc_stop first stops the world
 * and waits for the end of the cycle's thread. */
#ifndef SPGC_GC_STATE_LOCKS_H
#define SPGC_GC_STATE_LOCKS_H

#include <pthread.h>

enum spgc_lock {
  SPGC_LOCK_WORLD, /* starting, stopping, attaching and detaching; the list of mutators */
  SPGC_LOCK_MODULES,
  SPGC_LOCK_HANDLES,
  SPGC_LOCK_FINALIZERS,
  SPGC_LOCK_WEAK_MAPS,
  SPGC_LOCK_WEAK_FIELDS,
  SPGC_LOCK_IDENTITIES,
  SPGC_LOCK_PINS,
  SPGC_LOCK_SAMPLES, /* and tables of the allocation profile */
  SPGC_LOCK_HOOK,
  SPGC_LOCK_CODE_NAMES,   /* of code that is in no file */
  SPGC_LOCK_PLACED_LINES, /* lines that wait for source lines */
  SPGC_LOCK_HEAP,         /* also TLABs, and counts of allocated bytes. No safepoint under it */
  SPGC_LOCK_COUNT,
};

extern pthread_mutex_t spgc_locks[SPGC_LOCK_COUNT];

static inline enum spgc_lock spgc_lock(enum spgc_lock lock) {
  pthread_mutex_lock(&spgc_locks[lock]);
  return lock;
}

static inline void spgc_unlock(enum spgc_lock lock) {
  pthread_mutex_unlock(&spgc_locks[lock]);
}

static inline void spgc_unlock_at_end(const enum spgc_lock *lock) {
  spgc_unlock(*lock);
}

/* To the end of the block, even if an exception leaves it. */
#define SPGC_LOCKED(lock)                                                                          \
  __attribute__((cleanup(spgc_unlock_at_end))) const enum spgc_lock locked_here = spgc_lock(lock)

/* Defines `setter`, which the program gives a function and its context, and read_hook. */
#define SPGC_HOOK(setter, function, lock)                                                          \
  static struct hook {                                                                             \
    function call;                                                                                 \
    void *context;                                                                                 \
  } hook;                                                                                          \
  void setter(function call, void *context) {                                                      \
    SPGC_LOCKED(lock);                                                                             \
    hook = (struct hook){call, context};                                                           \
  }                                                                                                \
  static struct hook read_hook(void) {                                                             \
    SPGC_LOCKED(lock);                                                                             \
    return hook;                                                                                   \
  }

#endif
