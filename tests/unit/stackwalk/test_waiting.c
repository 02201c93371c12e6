/* A thread that waits for walks sleeps: under SCHED_FIFO it could keep the walker from ending. */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "spgc/exception.h"
#include "spgc/stackmap.h"
#include "spgc/stackwalk.h"
#include "stackwalk/fork.h"
#include "stackwalk/machine_frame.h"
#include "stackwalk/walkers.h"
#include "support/fatal.h"
#include "tests/support/sleeping_thread.h"
#include "tests/support/stackmap_builder.h"
#include "tests/support/suite.h"

static _Thread_local bool is_watched;
static atomic_int waits;

int __wrap_sched_yield(void);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
long __wrap_syscall(long number, ...);
long __real_syscall(long number, ...);

int __wrap_sched_yield(void) {
  spgc_require(!is_watched, "a thread yields where it should sleep");
  return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left) {
  spgc_require(!is_watched, "a thread waits for a time where it should wait for an event");
  return 0;
}

long __wrap_syscall(long number, ...) {
  enum { MOST = 6 };
  long words[MOST];
  va_list arguments;
  va_start(arguments, number);
  for (int i = 0; i < MOST; i++)
    words[i] = va_arg(arguments, long);
  va_end(arguments);
  if (is_watched && number == SYS_futex)
    atomic_fetch_add(&waits, 1);
  return __real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

struct waiter {
  void (*wait)(void);
  pthread_t thread;
  atomic_int number; /* in the system */
  atomic_bool done;
};

static void *run_waiter(void *context) {
  struct waiter *waiter = context;
  atomic_store(&waiter->number, gettid());
  is_watched = true;
  waiter->wait();
  is_watched = false;
  atomic_store(&waiter->done, true);
  return NULL;
}

/* Returns once the thread sleeps, after `least_waits` waits for a futex. */
static void begin(struct waiter *waiter, int least_waits) {
  ck_assert_int_eq(pthread_create(&waiter->thread, NULL, run_waiter, waiter), 0);
  while (atomic_load(&waits) < least_waits || atomic_load(&waiter->number) == 0 ||
         !thread_sleeps(atomic_load(&waiter->number)))
    ck_assert(!atomic_load(&waiter->done));
}

static void end(struct waiter *waiter) {
  pthread_join(waiter->thread, NULL);
  ck_assert(atomic_load(&waiter->done));
}

static struct spgc_stackmap *map;

static void make_map(void) {
  struct stackmap_builder builder = {0};
  struct spgc_error error;
  builder_header(&builder, 3, 1, 0, 1);
  builder_function(&builder, 0x1000, 8, 1);
  builder_statepoint(&builder, 1, 16, NULL, 0);
  ck_assert_int_eq(spgc_stackmap_register(builder.bytes, builder.size, &map, &error), SPGC_OK);
  builder_free(&builder);
}

static void unregister(void) {
  spgc_stackmap_unregister(map);
}

static void walk(void) {
  spgc_walkers_leave(spgc_walkers_enter());
}

static void hold_for_fork(void) {
  spgc_stackwalk_fork_lock();
  spgc_stackwalk_fork_unlock();
}

static void (*const who_wait_for_walks[])(void) = {unregister, spgc_walk_wait, hold_for_fork};

/* One wait for each of the two counts, and spurious wake-ups. */
START_TEST(who_waits_for_walks_sleeps) {
  enum { MOST_WAITS = 8 };
  struct waiter waiter = {.wait = who_wait_for_walks[_i]};
  make_map();
  unsigned entered = spgc_walkers_enter();
  begin(&waiter, 1);
  ck_assert(!atomic_load(&waiter.done));
  spgc_walkers_leave(entered);
  end(&waiter);
  ck_assert_int_le(atomic_load(&waits), MOST_WAITS);
}
END_TEST

START_TEST(who_walks_during_a_fork_sleeps) {
  struct waiter waiter = {.wait = walk};
  spgc_stackwalk_fork_lock();
  begin(&waiter, 0);
  spgc_stackwalk_fork_unlock();
  end(&waiter);
}
END_TEST

static void *base;
static atomic_bool went_on;

/* Only libunwind knows the signal's frame. Its first use opens files, which is a cancellation
 * point. */
static void unwind_while_cancelled(int signal) {
  pthread_cancel(pthread_self());
  spgc_unwind_outlook(base);
  atomic_store(&went_on, true);
}

static void *be_cancelled(void *unused) {
  base = __builtin_frame_address(0);
  raise(SIGUSR1);
  pthread_testcancel();
  return unused;
}

START_TEST(nobody_is_cancelled_while_others_wait_for_the_walk) {
  pthread_t thread;
  void *result;
  ck_assert_int_eq(
      sigaction(SIGUSR1, &(const struct sigaction){.sa_handler = unwind_while_cancelled}, NULL), 0);
  ck_assert_int_eq(pthread_create(&thread, NULL, be_cancelled, NULL), 0);
  ck_assert_int_eq(pthread_join(thread, &result), 0);
  ck_assert_ptr_eq(result, PTHREAD_CANCELED);
  ck_assert(atomic_load(&went_on));
  spgc_walk_wait();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("stackwalk-waiting");
  TCase *tests = tcase_create("waiting");
  tcase_set_timeout(tests, 60); /* which only means that a thread spins or hangs */
  tcase_add_loop_test(tests, who_waits_for_walks_sleeps, 0,
                      (int)(sizeof who_wait_for_walks / sizeof *who_wait_for_walks));
  tcase_add_test(tests, who_walks_during_a_fork_sleeps);
  /* An emulator without a vdso hides from unwinders the code that handlers return to. */
  if (!SIGNAL_RETURN_IS_IN_VDSO || getauxval(AT_SYSINFO_EHDR) != 0)
    tcase_add_test(tests, nobody_is_cancelled_while_others_wait_for_the_walk);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
