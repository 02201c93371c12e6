#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "gc/trace/worker_pool.h"

struct meeting {
  uint32_t present;
};

static void meet(void *context, uint32_t worker) {
  struct meeting *meeting = context;
  __atomic_fetch_add(&meeting->present, 1, __ATOMIC_ACQ_REL);
  while (worker == 0 && __atomic_load_n(&meeting->present, __ATOMIC_ACQUIRE) < 2)
    usleep(100);
}

static bool all_meet(struct spgc_worker_pool *pool) {
  struct meeting meeting = {0};
  spgc_worker_pool_run(pool, 1, meet, &meeting);
  return meeting.present == 2;
}

START_TEST(a_forked_child_has_workers_of_its_own) {
  struct spgc_worker_pool pool;
  spgc_worker_pool_create(&pool, 1);
  ck_assert(all_meet(&pool));
  pid_t child = fork();
  if (child == 0) {
    spgc_worker_pool_renew(&pool);
    bool met = all_meet(&pool);
    spgc_worker_pool_destroy(&pool);
    _exit(met ? 0 : 1);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  ck_assert(all_meet(&pool));
  spgc_worker_pool_destroy(&pool);
}
END_TEST

START_TEST(a_child_that_never_collects_has_no_threads_to_end) {
  struct spgc_worker_pool pool;
  spgc_worker_pool_create(&pool, 1);
  ck_assert(all_meet(&pool));
  pid_t child = fork();
  if (child == 0) {
    spgc_worker_pool_renew(&pool);
    spgc_worker_pool_destroy(&pool);
    _exit(0);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  spgc_worker_pool_destroy(&pool);
}
END_TEST

CHECK_MAIN("worker-pool-fork", a_forked_child_has_workers_of_its_own,
           a_child_that_never_collects_has_no_threads_to_end)
