#include <signal.h>
#include <unistd.h>

#include "check_main.h"
#include "gc/trace/worker_pool.h"
#include "worker_count.h"

enum { EXTRA_WORKERS = 3 };

struct attendance {
  uint32_t calls[EXTRA_WORKERS + 1];
  uint32_t present;
  uint32_t wanted; /* worker 0 waits for this many */
  uint32_t wrong_masks;
};

/* Workers get no signals but those of their own faults. */
static void attend(void *context, uint32_t worker) {
  struct attendance *attendance = context;
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  if (worker != 0 && (!sigismember(&blocked, SIGINT) || sigismember(&blocked, SIGSEGV)))
    __atomic_fetch_add(&attendance->wrong_masks, 1, __ATOMIC_RELAXED);
  attendance->calls[worker]++;
  __atomic_fetch_add(&attendance->present, 1, __ATOMIC_ACQ_REL);
  while (worker == 0 &&
         __atomic_load_n(&attendance->present, __ATOMIC_ACQUIRE) < attendance->wanted)
    usleep(100);
}

static void run_with_all(struct spgc_worker_pool *pool, struct attendance *attendance,
                         uint32_t extra_workers) {
  attendance->present = 0;
  attendance->wanted = extra_workers + 1;
  spgc_worker_pool_run(pool, extra_workers, attend, attendance);
}

START_TEST(every_worker_is_called_once_for_each_task) {
  struct spgc_worker_pool pool;
  struct attendance attendance = {0};
  spgc_worker_pool_create(&pool, EXTRA_WORKERS);
  for (uint32_t round = 1; round <= 100; round++) {
    run_with_all(&pool, &attendance, EXTRA_WORKERS);
    for (uint32_t worker = 0; worker <= EXTRA_WORKERS; worker++)
      ck_assert_uint_eq(attendance.calls[worker], round);
  }
  ck_assert_uint_eq(attendance.wrong_masks, 0);
  spgc_worker_pool_destroy(&pool);
}
END_TEST

START_TEST(only_so_many_workers_come_as_are_wanted) {
  struct spgc_worker_pool pool;
  struct attendance attendance = {0};
  spgc_worker_pool_create(&pool, EXTRA_WORKERS);
  run_with_all(&pool, &attendance, EXTRA_WORKERS);
  run_with_all(&pool, &attendance, 1);
  run_with_all(&pool, &attendance, 0);
  ck_assert_uint_eq(attendance.calls[0], 3);
  ck_assert_uint_eq(attendance.calls[1], 2);
  ck_assert_uint_eq(attendance.calls[2], 1);
  spgc_worker_pool_destroy(&pool);
}
END_TEST

START_TEST(threads_are_started_when_wanted_and_end_with_the_pool) {
  struct spgc_worker_pool pool;
  struct attendance attendance = {0};
  spgc_worker_pool_create(&pool, EXTRA_WORKERS);
  ck_assert_uint_eq(worker_count(), 0);
  run_with_all(&pool, &attendance, 2);
  ck_assert_uint_eq(worker_count(), 2);
  spgc_worker_pool_destroy(&pool);
  worker_count_await(0);
}
END_TEST

/* Worker 0 waits for another, which takes long. */
static void dawdle(void *context, uint32_t worker) {
  uint32_t *present = context;
  while (worker == 0 && __atomic_load_n(present, __ATOMIC_ACQUIRE) == 0)
    usleep(100);
  if (worker == 0)
    return;
  __atomic_store_n(present, 1, __ATOMIC_RELEASE);
  usleep(20000);
}

static uint32_t count_declined(struct spgc_worker_pool *pool) {
  uint32_t count = 0;
  while (spgc_worker_pool_declines(pool))
    count++;
  return count;
}

START_TEST(after_slow_parallel_work_the_pool_backs_off) {
  struct spgc_worker_pool pool;
  spgc_worker_pool_create(&pool, EXTRA_WORKERS);
  ck_assert(!spgc_worker_pool_declines(&pool));
  for (uint32_t expected = 1; expected <= 4; expected *= 2) {
    uint32_t present = 0;
    spgc_worker_pool_run(&pool, 1, dawdle, &present);
    ck_assert_uint_eq(count_declined(&pool), expected);
  }
  spgc_worker_pool_destroy(&pool);
}
END_TEST

CHECK_MAIN_WITHIN(60, "worker-pool", every_worker_is_called_once_for_each_task,
                  only_so_many_workers_come_as_are_wanted,
                  threads_are_started_when_wanted_and_end_with_the_pool,
                  after_slow_parallel_work_the_pool_backs_off)
