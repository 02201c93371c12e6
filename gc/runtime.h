/* The one runtime of the process: what joins heap, mutators and collections. */
#ifndef SPGC_GC_RUNTIME_H
#define SPGC_GC_RUNTIME_H

#include <stdbool.h>

#include "gc/cycle.h"
#include "gc/sizing.h"
#include "heap/check.h"
#include "heap/heap.h"
#include "spgc/heap.h"
#include "support/random.h"

struct spgc_mutator;

struct spgc_runtime {
  /* Written by start and stop, under the runtime lock; constant while a thread is attached. */
  bool started;
  struct spgc_options options;

  struct spgc_mutator *mutator; /* the attached thread's, or NULL: attach and detach, under the runtime lock */

  /* Used by the attached thread: by its allocations and, with the world stopped, by collections. */
  struct spgc_heap heap;
  struct spgc_cycle cycle;
  struct spgc_sizing sizing;
  struct spgc_check check;
  struct spgc_random random;
  struct spgc_statistics statistics; /* without what spgc_statistics_read computes */
};

extern struct spgc_runtime spgc_runtime;

/* Serialises start, stop, attach and detach. */
void spgc_runtime_lock(void);
void spgc_runtime_unlock(void);

#endif
