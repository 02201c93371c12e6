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
 *                                  free while no collection is in progress
 *   the listeners'                 gc/events/events.h
 *
 * fork takes all of them in this order (gc/mutator/fork.c), so that no lock in the child is held by
 * a thread that does not exist there. No thread comes to a safepoint with a lock, and no thread is
 * cancelled with one: under a lock, cancellation points are called only while cancellation is held
 * off (support/cancellation.h).
 *
 * The loader's locks come before all of these, and before the stopped world: a thread may be
 * stopped, or may fork, in a constructor or in a callback of dl_iterate_phdr. So nothing that takes
 * them is called under a lock that a collection takes, nor in a pause: no dl_iterate_phdr, dladdr,
 * dlopen or dlsym. Code and segments are found by _dl_find_object, which takes no lock. Likewise no
 * function of the program is called under a lock, except those of listeners.
 *
 * A thread that runs a function of a listener may hold the cycle, and no lock below it. So fork
 * waits for the cycle before it takes a lock that such a function may take. spgc_stop stops the
 * world and waits for the end of the cycle's thread before it takes locks for good.
 */
#ifndef SPGC_GC_STATE_LOCKS_H
#define SPGC_GC_STATE_LOCKS_H

#include <pthread.h>

enum spgc_lock {
  SPGC_LOCK_WORLD,        /* the list of mutators, stops, start and stop */
  SPGC_LOCK_MODULES,      /* registered modules */
  SPGC_LOCK_HANDLES,      /* global handles */
  SPGC_LOCK_FINALIZERS,   /* registrations and the queue */
  SPGC_LOCK_WEAK_MAPS,    /* weak maps and their entries */
  SPGC_LOCK_WEAK_FIELDS,  /* bound fields */
  SPGC_LOCK_IDENTITIES,   /* hashes */
  SPGC_LOCK_PINS,         /* pins */
  SPGC_LOCK_SAMPLES,      /* sampled objects, and the tables of the allocation profile */
  SPGC_LOCK_HOOK,         /* the hooks */
  SPGC_LOCK_CODE_NAMES,   /* names of code that was not loaded from a file */
  SPGC_LOCK_PLACED_LINES, /* lines of the log whose source lines are looked for */
  SPGC_LOCK_HEAP, /* blocks, TLABs, and counts of allocated bytes. Its holder reaches no safepoint
                     and starts no collection */
  SPGC_LOCK_COUNT,
};

extern pthread_mutex_t spgc_locks[SPGC_LOCK_COUNT];

static inline void spgc_lock(enum spgc_lock lock) {
  pthread_mutex_lock(&spgc_locks[lock]);
}

static inline void spgc_unlock(enum spgc_lock lock) {
  pthread_mutex_unlock(&spgc_locks[lock]);
}

#endif
