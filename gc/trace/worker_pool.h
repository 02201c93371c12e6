/* The worker pool: the collector's threads, which run tasks together with the collecting thread.
 *
 *   worker 0         the thread that calls spgc_worker_pool_run
 *   worker 1 ...     the pool's threads: started when first wanted, asleep between tasks, with all
 *                    signals blocked
 *
 * A task does not wait for threads that are slow to wake: a worker that arrives after worker 0 has
 * finished finds nothing to do. A run waits for the workers that joined it. On a busy machine that
 * can take longer than worker 0 alone would have taken. After such a task, the next collections
 * engage no other workers: one collection, then two, then four, up to 64 (support/backoff.h).
 *
 * fork copies no thread. The child renews the pool, and starts threads of its own.
 */
#ifndef SPGC_GC_TRACE_WORKER_POOL_H
#define SPGC_GC_TRACE_WORKER_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "gc/trace/shared_worklist.h"
#include "heap/geometry.h"
#include "support/backoff.h"

/* A task, as each worker runs it. Other workers may run it at the same time. */
typedef void (*spgc_worker_task)(void *context, uint32_t worker);

struct spgc_worker_pool;

struct spgc_worker_thread {
  struct spgc_worker_pool *pool; /* constant */
  uint32_t worker;               /* constant */
  pthread_t thread;              /* written by the thread that starts it */
};

struct spgc_worker_pool {
  uint32_t most_extra_workers; /* constant */
  struct spgc_worker_thread threads[SPGC_MOST_WORKERS - 1];
  struct spgc_backoff backoff; /* an opportunity is a collection that may engage workers. Written by
                                  the thread that runs tasks */

  /* Under the lock. */
  pthread_mutex_t lock;
  pthread_cond_t called, left; /* threads without a task wait for `called`, a run for `left` */
  uint32_t started;            /* threads that exist */
  spgc_worker_task task;       /* NULL: no thread may begin */
  void *context;
  uint64_t number;  /* of the task, so that no thread runs it twice */
  uint32_t wanted;  /* workers 1 to `wanted` run the task */
  uint32_t running; /* threads that run it now */
  bool ends;

  struct spgc_shared_worklist shared; /* for workers that trace together; has its own lock */
};

/* Starts no thread. `most_extra_workers` is below SPGC_MOST_WORKERS. */
void spgc_worker_pool_create(struct spgc_worker_pool *pool, uint32_t most_extra_workers);

/* In the child of a process that forked without a task in progress: the threads do not exist
 * there. */
void spgc_worker_pool_renew(struct spgc_worker_pool *pool);

/* Ends the threads and waits for their end. */
void spgc_worker_pool_destroy(struct spgc_worker_pool *pool);

/* Calls `task` as worker 0, and lets up to `extra_workers` threads also call it. Returns when all
 * have returned from it. Only one thread may call it at a time. */
void spgc_worker_pool_run(struct spgc_worker_pool *pool, uint32_t extra_workers,
                          spgc_worker_task task, void *context);

/* Whether the pool backs off, so that this collection should engage no other workers. For the
 * collecting thread. */
bool spgc_worker_pool_should_decline(const struct spgc_worker_pool *pool);

/* A collection has engaged no other workers because the pool backs off. */
void spgc_worker_pool_decline(struct spgc_worker_pool *pool);

/* The workers that a collection may call. */
struct spgc_parallelism {
  struct spgc_worker_pool *pool;
  uint32_t extra_workers; /* at most this many in addition to worker 0 */
  bool at_once;           /* call them even with little to do */
};

#endif
