/* Threads that run tasks together with worker 0, the collecting thread or a mutator that assists.
 * They start when first wanted. A run waits for the workers that joined it; after one that did not
 * pay, the next collections engage none (docs/collections.md, "Workers"). */
#ifndef SPGC_GC_TRACE_WORKER_POOL_H
#define SPGC_GC_TRACE_WORKER_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "gc/trace/shared_worklist.h"
#include "heap/geometry.h"
#include "support/backoff.h"

/* Copied or marked by worker 0 before it wakes the others. */
enum { SPGC_ALONE_BYTES = 256 << 10 };

/* Several workers may run it at the same time. */
typedef void (*spgc_worker_task)(void *context, uint32_t worker);

struct spgc_worker_pool;

struct spgc_worker_thread {
  struct spgc_worker_pool *pool;
  uint32_t worker; /* constant */
  pthread_t thread;
};

struct spgc_worker_pool {
  uint32_t most_extra_workers; /* constant */
  struct spgc_worker_thread threads[SPGC_MOST_WORKERS - 1];
  struct spgc_backoff backoff;      /* of collections that may engage workers */
  struct spgc_backoff step_backoff; /* of mutators' steps */

  pthread_mutex_t lock;
  pthread_cond_t called, left; /* by threads without a task, and by a run */
  uint32_t started;
  spgc_worker_task task; /* NULL: no thread may begin */
  void *context;
  uint64_t number;  /* so that no thread runs a task twice */
  uint32_t wanted;  /* workers 1 to `wanted` run the task */
  uint32_t running; /* threads that run it */
  bool ends;

  struct spgc_shared_worklist shared; /* has its own lock */
};

/* Starts no thread. */
void spgc_worker_pool_create(struct spgc_worker_pool *pool, uint32_t most_extra_workers);

/* Called in a forked child, without a task in progress. */
void spgc_worker_pool_renew(struct spgc_worker_pool *pool);

void spgc_worker_pool_destroy(struct spgc_worker_pool *pool);

/* Calls `task` as worker 0 and on up to `extra_workers` threads, and tells `backoff` whether they
 * paid. One thread at a time. */
void spgc_worker_pool_run_judged(struct spgc_worker_pool *pool, struct spgc_backoff *backoff,
                                 uint32_t extra_workers, spgc_worker_task task, void *context);

/* In a collection. */
static inline void spgc_worker_pool_run(struct spgc_worker_pool *pool, uint32_t extra_workers,
                                        spgc_worker_task task, void *context) {
  spgc_worker_pool_run_judged(pool, &pool->backoff, extra_workers, task, context);
}

/* Asked once by a collection that may engage workers. */
static inline bool spgc_worker_pool_declines(struct spgc_worker_pool *pool) {
  return spgc_backoff_skips(&pool->backoff);
}

struct spgc_parallelism {
  struct spgc_worker_pool *pool;
  uint32_t extra_workers; /* at most, besides worker 0 */
  bool at_once;           /* even with little to do */
};

#endif
