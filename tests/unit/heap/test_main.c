#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "fatal_check.h"
#include "heap_world.h"
#include "spgc/main.h"

struct sums {
  uint64_t count, moved;
};

static void sum_list(void *argument) {
  struct sums *sums = argument;
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle list = world_new_list(sums->count);
  spgc_collect(SPGC_COLLECTION_MINOR);
  world_check_list(list, sums->count);
  spgc_scope_close(scope);
  sums->moved = world_statistics().moved_objects;
}

static void check_stopped(void) {
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  spgc_stop();
}

START_TEST(it_starts_attaches_runs_detaches_and_stops) {
  for (int i = 0; i < 3; i++) {
    struct sums sums = {.count = world_amount(2000, 500, 50)};
    struct spgc_error error;
    ck_assert_int_eq(spgc_main(NULL, sum_list, &sums, &error), SPGC_OK);
    ck_assert_uint_ge(sums.moved, sums.count);
    check_stopped();
  }
}
END_TEST

static void note_limit(void *argument) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle list = world_new_list(1);
  *(uint64_t *)argument = world_fill(list);
  spgc_scope_close(scope);
}

START_TEST(the_options_are_those_of_the_heap) {
  unsetenv("SPGC_OPTIONS");
  struct spgc_options options;
  spgc_options_default(&options);
  options.heap_limit = 2 << 20;
  uint64_t small, larger;
  ck_assert_int_eq(spgc_main(&options, note_limit, &small, NULL), SPGC_OK);
  options.heap_limit = 8 << 20;
  ck_assert_int_eq(spgc_main(&options, note_limit, &larger, NULL), SPGC_OK);
  ck_assert_uint_gt(larger, 2 * small);
}
END_TEST

static void must_not_run(void *argument) {
  *(bool *)argument = true;
}

static void expect_error(const struct spgc_options *options, enum spgc_result expected,
                         const char *part) {
  struct spgc_error error;
  bool ran = false;
  ck_assert_int_eq(spgc_main(options, must_not_run, &ran, &error), expected);
  ck_assert_msg(strstr(error.message, part) != NULL, "%s", error.message);
  ck_assert(!ran);
}

START_TEST(an_error_leaves_the_heap_stopped) {
  struct spgc_options wrong;
  spgc_options_default(&wrong);
  wrong.growth = 10001;
  expect_error(&wrong, SPGC_ERROR_INVALID_ARGUMENT, "10001");
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  expect_error(NULL, SPGC_ERROR_STATE, "asynchronous");
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
  struct spgc_error error;
  ck_assert_int_eq(spgc_main(NULL, NULL, NULL, &error), SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.message, "no function"));
  check_stopped();
}
END_TEST

static void call_again(void *argument) {
  expect_error(NULL, SPGC_ERROR_STATE, "started already");
  sum_list(argument);
}

START_TEST(a_call_in_a_call_is_an_error) {
  struct sums sums = {.count = 100};
  ck_assert_int_eq(spgc_main(NULL, call_again, &sums, NULL), SPGC_OK);
  check_stopped();
}
END_TEST

static void end_thread(void *argument) {
  sum_list(argument);
  pthread_exit(argument);
}

static void *run_to_the_end(void *argument) {
  spgc_main(NULL, end_thread, argument, NULL);
  return NULL;
}

START_TEST(a_thread_may_end_in_it) {
  struct sums sums = {.count = 100};
  pthread_t thread;
  void *result;
  ck_assert_int_eq(pthread_create(&thread, NULL, run_to_the_end, &sums), 0);
  ck_assert_int_eq(pthread_join(thread, &result), 0);
  ck_assert_ptr_eq(result, &sums);
  check_stopped();
}
END_TEST

static void *attach_and_end(void *done) {
  if (spgc_thread_attach(__builtin_frame_address(0), NULL) == SPGC_OK)
    pthread_barrier_wait(done);
  pthread_barrier_wait(done); /* never passed */
  return NULL;
}

static void leave_a_thread_attached(void *unused) {
  static pthread_barrier_t done;
  pthread_t thread;
  pthread_barrier_init(&done, NULL, 2);
  pthread_create(&thread, NULL, attach_and_end, &done);
  pthread_barrier_wait(&done);
}

static void stop_too_early(void) {
  spgc_main(NULL, leave_a_thread_attached, NULL, NULL);
}

START_TEST(another_thread_must_have_detached) {
  check_is_fatal(stop_too_early, "threads are attached: 1");
}
END_TEST

CHECK_MAIN("heap-main", it_starts_attaches_runs_detaches_and_stops,
           the_options_are_those_of_the_heap, an_error_leaves_the_heap_stopped,
           a_call_in_a_call_is_an_error, a_thread_may_end_in_it, another_thread_must_have_detached)
