/* The share: entries of workers' stacks on their way to workers that have none, and the end of the work.
 *
 * Each worker has a stack of its own and gives from it only while others are hungry, so that giving and taking may cost
 * a lock. What does not fit the share stays on its giver's stack: nothing can overflow.
 * A worker takes part from spgc_work_share_open or _join to the spgc_work_share_take that returns false.
 * Invariant: work is on the share, or on the stack of one of the `active` workers. When the share is empty and nobody
 * is active, the work is at its end.
 */
#ifndef SPGC_GC_TRACE_SHARED_WORKLIST_H
#define SPGC_GC_TRACE_SHARED_WORKLIST_H

#include <pthread.h>

#include "heap/worklist.h"

enum {
  SPGC_SHARE_ENTRIES = 1024,
  SPGC_SHARE_GIFT = 128, /* entries given or taken at once, at most */
};

struct spgc_work_share {
  uint32_t hungry; /* workers that wait; written under the lock, read by givers at any time, as a hint */

  /* Under the lock. */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint32_t active; /* workers that neither wait nor have left */
  uint32_t count;
  bool ended;
  uintptr_t entries[SPGC_SHARE_ENTRIES];
};

void spgc_work_share_create(struct spgc_work_share *share);
void spgc_work_share_destroy(struct spgc_work_share *share);

/* `active` workers take part, without joining: all that have work, and the caller. No other may join before. */
void spgc_work_share_open(struct spgc_work_share *share, uint32_t active);

/* Another worker begins to take part; false when the work is at its end. */
bool spgc_work_share_join(struct spgc_work_share *share);

/* Some work for a worker with an empty stack that takes part, if need be by waiting. False at the end of the work. */
bool spgc_work_share_take(struct spgc_work_share *share, struct spgc_work_stack *stack);

/* The oldest half of the stack, as far as it fits: what hangs on old entries is likely to be most. */
void spgc_work_share_give(struct spgc_work_share *share, struct spgc_work_stack *stack);

/* Whether who has so many entries should give. */
static inline bool spgc_work_share_is_wanted(const struct spgc_work_share *share, uint32_t entries) {
  enum { LEAST = 2 }; /* who has less keeps it */
  return entries >= LEAST && __atomic_load_n(&share->hungry, __ATOMIC_RELAXED) != 0;
}

#endif
