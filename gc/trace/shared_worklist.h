/* The shared worklist: entries of workers' stacks on their way to workers that have none, and the
 * end of the work.
 *
 * Each worker has a stack of its own and gives from it only while others are hungry, so that giving
 * and taking may cost a lock. What does not fit the shared worklist stays on its giver's stack:
 * nothing can overflow. A worker takes part from spgc_shared_worklist_open or _join to the
 * spgc_shared_worklist_take that returns false. Invariant: work is on the shared worklist, or on
 * the stack of one of the `active` workers. When the shared worklist is empty and nobody is active,
 * the work is at its end.
 */
#ifndef SPGC_GC_TRACE_SHARED_WORKLIST_H
#define SPGC_GC_TRACE_SHARED_WORKLIST_H

#include <pthread.h>

#include "heap/worklist.h"

enum {
  SPGC_SHARED_ENTRIES = 1024,
  SPGC_SHARED_BATCH = 128, /* entries given or taken at once, at most */
};

struct spgc_shared_worklist {
  uint32_t waiting; /* workers that wait; written under the lock, read by givers at any time, as a
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

/* `active` workers take part, without joining: all that have work, and the caller. No other may
 * join before. */
void spgc_shared_worklist_open(struct spgc_shared_worklist *shared, uint32_t active);

/* Another worker begins to take part; false when the work is at its end. */
bool spgc_shared_worklist_join(struct spgc_shared_worklist *shared);

/* Some work for a worker with an empty stack that takes part, if need be by waiting. False at the
 * end of the work. */
bool spgc_shared_worklist_take(struct spgc_shared_worklist *shared, struct spgc_worklist *stack);

/* The oldest half of the stack, as far as it fits: what hangs on old entries is likely to be most.
 */
void spgc_shared_worklist_give(struct spgc_shared_worklist *shared, struct spgc_worklist *stack);

/* Whether who has so many entries should give. */
static inline bool spgc_shared_worklist_is_wanted(const struct spgc_shared_worklist *shared,
                                                  uint32_t entries) {
  enum { LEAST = 2 }; /* who has less keeps it */
  return entries >= LEAST && __atomic_load_n(&shared->waiting, __ATOMIC_RELAXED) != 0;
}

#endif
