/* Polls: a loop without calls lets other threads collect, soon. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "spgc/handle.h"
#include "spgc/thread.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

enum { COLLECTIONS = 201, MILLISECOND = 1000000 };

static atomic_bool spinning;
static int64_t lost;

static void *spin(void *function) {
  struct spgc_error error;
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  atomic_store(&spinning, true);
  lost = ((number_function *)(uintptr_t)function)(0);
  spgc_thread_detach();
  return NULL;
}

/* Of the processors, spent by all threads: a machine with other things to do takes them away for as long as it likes.
 */
static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000 * MILLISECOND + time.tv_nsec;
}

static int compare_times(const void *a, const void *b) {
  const int64_t *left = a, *right = b;
  return (*left > *right) - (*left < *right);
}

/* Collects with the loop running; half of the collections, the loop's stop included, take no longer than this. */
static int64_t usual_time(void) {
  int64_t times[COLLECTIONS];
  for (int i = 0; i < COLLECTIONS; i++) {
    int64_t start = now();
    spgc_collect(SPGC_COLLECTION_FULL);
    times[i] = now() - start;
  }
  qsort(times, COLLECTIONS, sizeof *times, compare_times);
  return times[COLLECTIONS / 2];
}

START_TEST(a_loop_without_calls_stops_within_a_millisecond) {
  struct spgc_error error;
  pthread_t thread;
  jit_world_start("move=always,limit=64m");
  jit_world_load_file("spin.ll", (unsigned)_i);
  _Atomic int64_t *finished = jit_world_lookup("finished");
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  ck_assert_int_eq(pthread_create(&thread, NULL, spin, jit_world_lookup("spin")), 0);
  while (!atomic_load(&spinning))
    spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_int_lt(usual_time(), MILLISECOND);
  ck_assert_uint_ge(jit_world_finish().moved_objects, COLLECTIONS / 2);
  atomic_store(finished, 1);
  pthread_join(thread, NULL);
  ck_assert_int_eq(lost, 0);
  jit_world_stop();
}
END_TEST

static jmp_buf escape;
static atomic_int hook_calls;

static void leave(void) {
  hook_calls++;
  longjmp(escape, 1);
}

static void interrupt(int signal) {
  spgc_thread_interrupt();
}

static void *spin_until_interrupted(void *function) {
  struct spgc_error error;
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  struct spgc_scope scope = spgc_scope_open();
  if (setjmp(escape) == 0) {
    spinning = true;
    ((number_function *)(uintptr_t)function)(0);
    ck_abort_msg("the loop ended");
  }
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  spgc_thread_detach();
  return NULL;
}

START_TEST(a_signal_handler_ends_a_loop_without_calls) {
  pthread_t thread;
  const struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGUSR1, &action, NULL);
  jit_world_start("move=always,limit=64m");
  jit_world_load_file("spin.ll", (unsigned)_i);
  spgc_set_interrupt_hook(leave);
  ck_assert_int_eq(pthread_create(&thread, NULL, spin_until_interrupted, jit_world_lookup("spin")), 0);
  while (!spinning)
    continue;
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  ck_assert_int_eq(hook_calls, 1);
  spgc_set_interrupt_hook(NULL);
  jit_world_stop();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-poll");
  TCase *tests = tcase_create("poll");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, a_loop_without_calls_stops_within_a_millisecond, 0, 4);
  tcase_add_loop_test(tests, a_signal_handler_ends_a_loop_without_calls, 0, 4);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
