#include "gc/trace/worker_pool.h"

#include <string.h>

#include "gc/events/events.h"
#include "support/clock.h"
#include "support/collector_thread.h"
#include "support/fatal.h"

void spgc_worker_pool_renew(struct spgc_worker_pool *pool) {
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->called, NULL);
  pthread_cond_init(&pool->left, NULL);
  spgc_shared_worklist_create(&pool->shared);
  pool->started = pool->running = 0;
  pool->task = NULL;
}

void spgc_worker_pool_create(struct spgc_worker_pool *pool, uint32_t most_extra_workers) {
  spgc_require(most_extra_workers < SPGC_MOST_WORKERS, "a worker pool of %u threads",
               most_extra_workers);
  memset(pool, 0, sizeof *pool);
  pool->most_extra_workers = most_extra_workers;
  spgc_worker_pool_renew(pool);
}

void spgc_worker_pool_destroy(struct spgc_worker_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->ends = true;
  pthread_cond_broadcast(&pool->called);
  pthread_mutex_unlock(&pool->lock);
  for (uint32_t i = 0; i < pool->started; i++)
    pthread_join(pool->threads[i].thread, NULL);
  pthread_mutex_destroy(&pool->lock);
  pthread_cond_destroy(&pool->called);
  pthread_cond_destroy(&pool->left);
  spgc_shared_worklist_destroy(&pool->shared);
  memset(pool, 0, sizeof *pool);
}

/* Needs the lock, which is released during the task. */
static void take_part(struct spgc_worker_pool *pool, uint32_t worker) {
  spgc_worker_task task = pool->task;
  void *context = pool->context;
  pool->running++;
  pthread_mutex_unlock(&pool->lock);
  uint64_t begin_ns = spgc_hears_worker() ? spgc_clock_ns() : 0;
  task(context, worker);
  if (begin_ns != 0)
    SPGC_TELL(worker, spgc_worker_event, .worker = worker, .begin_ns = begin_ns,
              .end_ns = spgc_clock_ns());
  pthread_mutex_lock(&pool->lock);
  if (--pool->running == 0)
    pthread_cond_signal(&pool->left);
}

static void *run_worker(void *argument) {
  const struct spgc_worker_thread *self = argument;
  struct spgc_worker_pool *pool = self->pool;
  uint64_t last = 0;
  spgc_is_collector_thread = true;
  pthread_mutex_lock(&pool->lock);
  while (!pool->ends) {
    if (pool->task != NULL && pool->number != last && self->worker <= pool->wanted) {
      last = pool->number;
      take_part(pool, self->worker);
    } else {
      pthread_cond_wait(&pool->called, &pool->lock);
    }
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

static void call(struct spgc_worker_pool *pool, uint32_t extra_workers, spgc_worker_task task,
                 void *context) {
  pthread_mutex_lock(&pool->lock);
  /* As many as the system grants. Worker 0 does the others' work. */
  for (; pool->started < extra_workers; pool->started++) {
    struct spgc_worker_thread *thread = &pool->threads[pool->started];
    *thread = (struct spgc_worker_thread){.pool = pool, .worker = pool->started + 1};
    if (spgc_collector_thread_start(&thread->thread, "spgc-worker", SPGC_SMALL_STACK_BYTES,
                                    run_worker, thread) != 0)
      break;
  }
  pool->task = task;
  pool->context = context;
  pool->number++;
  pool->wanted = extra_workers;
  pthread_cond_broadcast(&pool->called);
  pthread_mutex_unlock(&pool->lock);
}

struct times {
  uint64_t elapsed_ns, processor_ns; /* the latter is a sum over all workers */
};

static struct times read_times(const struct spgc_worker_pool *pool) {
  struct times times = {spgc_clock_ns(), spgc_clock_read(CLOCK_THREAD_CPUTIME_ID)};
  clockid_t clock;
  for (uint32_t i = 0; i < pool->started; i++)
    if (pthread_getcpuclockid(pool->threads[i].thread, &clock) == 0)
      times.processor_ns += spgc_clock_read(clock);
  return times;
}

/* Compares with the sum of all processor times. */
static void judge(const struct spgc_worker_pool *pool, struct times before,
                  struct spgc_backoff *backoff) {
  struct times now = read_times(pool);
  uint64_t elapsed = now.elapsed_ns - before.elapsed_ns,
           processor = now.processor_ns - before.processor_ns;
  if (elapsed > processor)
    spgc_backoff_fail(backoff);
  else
    spgc_backoff_succeed(backoff);
}

void spgc_worker_pool_run_judged(struct spgc_worker_pool *pool, struct spgc_backoff *backoff,
                                 uint32_t extra_workers, spgc_worker_task task, void *context) {
  if (extra_workers > pool->most_extra_workers)
    extra_workers = pool->most_extra_workers;
  if (extra_workers == 0) {
    task(context, 0);
    return;
  }
  call(pool, extra_workers, task, context);
  struct times before = read_times(pool);
  task(context, 0);
  pthread_mutex_lock(&pool->lock);
  pool->task = NULL;
  while (pool->running != 0)
    pthread_cond_wait(&pool->left, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
  judge(pool, before, backoff);
}
