#ifndef SPGC_GC_STATE_RUNTIME_H
#define SPGC_GC_STATE_RUNTIME_H

#include <stdatomic.h>

#include "gc/policy/policy.h"
#include "gc/state/locks.h"
#include "gc/trace/cycle.h"
#include "heap/check.h"
#include "heap/heap.h"
#include "spgc/heap.h"
#include "support/random.h"

struct spgc_runtime {
  /* Written by spgc_start and spgc_stop, with the world locked. Constant while a thread is
   * attached. Others may read `started` at any time. */
  atomic_bool started;
  uint64_t started_ns; /* by spgc_clock_ns */
  struct spgc_options options;
  struct spgc_parallelism parallelism; /* of collections, at most */
  uint64_t attached_threads;           /* since spgc_start. Under the world's lock */

  /* Written by mutators under the heap lock, by collections with the world stopped. */
  struct spgc_heap heap;
  struct spgc_worker_pool pool;
  struct spgc_cycle cycle;
  struct spgc_policy policy;
  struct spgc_check check;
  struct spgc_random random;
  uint64_t stressed_allocations;     /* for stress=every-N and stress=random */
  uint64_t stressed_tlabs;           /* for born=random */
  struct spgc_statistics statistics; /* without those that spgc_statistics_read computes */
};

extern struct spgc_runtime spgc_runtime;

/* Other copies of this library, as of an executable and a plugin, have their own.
 *
 * If another copy's heap is started and not this one's, the end of a message ("; ...") that names
 * that copy's file and the remedy; else "". Takes the loader's lock: the caller holds no lock. */
enum { SPGC_COPY_TEXT_BYTES = 512 };
const char *spgc_copies_explain(char text[SPGC_COPY_TEXT_BYTES]);

#endif
