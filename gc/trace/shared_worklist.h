/* Moves entries to workers without any, and detects termination.
 *
 * Invariant: every entry is on the shared worklist, or on the stack of an `active` worker or of one
 * that left. So when the list is empty and no worker is active, the others' work is done.
 *
 * A worker takes part from spgc_shared_worklist_open or _join until spgc_shared_worklist_take
 * returns false, or it leaves with entries. Entries that do not fit stay on the giver's stack. */
#ifndef SPGC_GC_TRACE_SHARED_WORKLIST_H
#define SPGC_GC_TRACE_SHARED_WORKLIST_H

#include <pthread.h>

#include "heap/worklist.h"

enum {
  SPGC_SHARED_ENTRIES = 1024,
  SPGC_SHARED_BATCH = 128, /* given or taken at once */
};

struct spgc_shared_worklist {
  uint32_t waiting; /* workers. Written under the lock; givers read it at any time, as a hint */

  /* Under the lock. */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint32_t active; /* that neither wait nor have left */
  uint32_t count;
  bool ended;
  uintptr_t entries[SPGC_SHARED_ENTRIES];
};

void spgc_shared_worklist_create(struct spgc_shared_worklist *shared);
void spgc_shared_worklist_destroy(struct spgc_shared_worklist *shared);

/* `active` workers take part without joining: the caller, and all with entries. */
void spgc_shared_worklist_open(struct spgc_shared_worklist *shared, uint32_t active);

/* False if the work is done. */
bool spgc_shared_worklist_join(struct spgc_shared_worklist *shared);

/* An active worker stops, whatever its stack has. If all leave, the list may keep entries. */
void spgc_shared_worklist_leave(struct spgc_shared_worklist *shared);

/* The stack is empty. May wait. False if the work is done. */
bool spgc_shared_worklist_take(struct spgc_shared_worklist *shared, struct spgc_worklist *stack);

/* Gives the oldest half of the stack, which is likely to have the largest subgraphs, as far as it
 * fits. */
void spgc_shared_worklist_give(struct spgc_shared_worklist *shared, struct spgc_worklist *stack);

/* Asked by a worker with this many entries. */
static inline bool spgc_shared_worklist_is_wanted(const struct spgc_shared_worklist *shared,
                                                  uint32_t entries) {
  enum { LEAST = 2 };
  return entries >= LEAST && __atomic_load_n(&shared->waiting, __ATOMIC_RELAXED) != 0;
}

#endif
