/* The shared worklist: moves entries from workers' stacks to workers without any, and detects
 * termination.
 *
 * Invariant: every entry is on the shared worklist or on the stack of one of the `active` workers.
 * So when the shared worklist is empty and no worker is active, the work is done.
 *
 * A worker takes part from spgc_shared_worklist_open or _join until spgc_shared_worklist_take
 * returns false. It works from its own stack, and gives entries only while others wait, so the cost
 * of the lock is rare. Entries that do not fit the shared worklist stay on the giver's stack, so it
 * cannot overflow.
 */
#ifndef SPGC_GC_TRACE_SHARED_WORKLIST_H
#define SPGC_GC_TRACE_SHARED_WORKLIST_H

#include <pthread.h>

#include "heap/worklist.h"

enum {
  SPGC_SHARED_ENTRIES = 1024,
  SPGC_SHARED_BATCH = 128, /* entries given or taken at once */
};

struct spgc_shared_worklist {
  uint32_t waiting; /* workers that wait. Written under the lock; givers read it at any time, as a
                       hint */

  /* Under the lock. */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint32_t active; /* workers that neither wait nor have left */
  uint32_t count;
  bool ended;
  uintptr_t entries[SPGC_SHARED_ENTRIES];
};

void spgc_shared_worklist_create(struct spgc_shared_worklist *shared);
void spgc_shared_worklist_destroy(struct spgc_shared_worklist *shared);

/* Opens the worklist for `active` workers, which take part without joining: the caller, and all
 * workers that have entries. No other worker may join before. */
void spgc_shared_worklist_open(struct spgc_shared_worklist *shared, uint32_t active);

/* Lets another worker take part. False if the work is done. */
bool spgc_shared_worklist_join(struct spgc_shared_worklist *shared);

/* Moves some entries to the empty stack of a worker that takes part. Waits for entries if there are
 * none. False if the work is done. */
bool spgc_shared_worklist_take(struct spgc_shared_worklist *shared, struct spgc_worklist *stack);

/* Gives the oldest half of the stack, as far as it fits. The oldest entries are likely to have the
 * largest subgraphs. */
void spgc_shared_worklist_give(struct spgc_shared_worklist *shared, struct spgc_worklist *stack);

/* Whether a worker with this many entries should give some. */
static inline bool spgc_shared_worklist_is_wanted(const struct spgc_shared_worklist *shared,
                                                  uint32_t entries) {
  enum { LEAST = 2 }; /* a worker with fewer keeps them */
  return entries >= LEAST && __atomic_load_n(&shared->waiting, __ATOMIC_RELAXED) != 0;
}

#endif
