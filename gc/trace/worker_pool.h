/* The worker pool: threads of the collector that help the one that collects.
 *
 *   worker 0         the thread that calls spgc_worker_pool_run
 *   worker 1 ...     the worker pool's threads: started when first wanted, asleep between tasks,
 * with all signals blocked
 *
 * A task does not wait for threads that are slow to wake: who comes after worker 0 has finished
 * finds nothing to do. A run waits for the workers that joined it. On a busy machine that can take
 * longer than the task would have taken worker 0. After such a task the next offers of help are
 * declined: one, then two, then four, up to 64 (support/backoff.h). fork copies no thread: the
 * worker pool is renewed in the child, and starts threads of its own.
 */
#ifndef SPGC_GC_TRACE_WORKER_POOL_H
#define SPGC_GC_TRACE_WORKER_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "gc/trace/shared_worklist.h"
#include "heap/geometry.h"
#include "support/backoff.h"

/* What a worker does. Others may do the same at the same time, or none. */
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
  struct spgc_backoff backoff; /* an opportunity is an offer of help. Written by the thread that
                               runs tasks */

  /* Under the lock. */
  pthread_mutex_t lock;
  pthread_cond_t called, left; /* waited for by threads without a task; by run */
  uint32_t started;            /* threads that exist */
  spgc_worker_task task;       /* or NULL: nobody may begin */
  void *context;
  uint64_t number;  /* of the task: no thread takes part in one twice */
  uint32_t wanted;  /* workers 1 to `wanted` take part */
  uint32_t running; /* threads that do */
  bool ends;

  struct spgc_shared_worklist shared; /* of workers that trace together; guards itself */
};

/* Starts no thread. `most_extra_workers` is below SPGC_MOST_WORKERS. */
void spgc_worker_pool_create(struct spgc_worker_pool *pool, uint32_t most_extra_workers);

/* In the child of a process that forked: the threads do not exist. No task was under way. */
void spgc_worker_pool_renew(struct spgc_worker_pool *pool);

/* Ends the threads. */
void spgc_worker_pool_destroy(struct spgc_worker_pool *pool);

/* Calls `task` as worker 0 and lets up to `workers` threads call it, too. Returns when all have
 * returned from it. One thread at a time. */
void spgc_worker_pool_run(struct spgc_worker_pool *pool, uint32_t extra_workers,
                          spgc_worker_task task, void *context);

/* Whether the offer of help at hand is better declined. The thread that would run a task asks. */
bool spgc_worker_pool_should_decline(const struct spgc_worker_pool *pool);

/* The offer was declined. */
void spgc_worker_pool_decline(struct spgc_worker_pool *pool);

/* What may help a collection. */
struct spgc_parallelism {
  struct spgc_worker_pool *pool;
  uint32_t extra_workers; /* at most; 0: none */
  bool at_once;           /* even with little to do */
};

#endif
