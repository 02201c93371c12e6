#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "heap_world.h"
#include "profile_reader.h"
#include "spgc/events.h"
#include "spgc/profile.h"

static char folder[] = "/tmp/spgc-profile-XXXXXX";
static char path[sizeof folder + 20], at_end[sizeof folder + 20];

static void make_folder(void) {
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/now.pb", folder);
  snprintf(at_end, sizeof at_end, "%s/end.pb", folder);
}

static void remove_files(void) {
  unlink(path);
  unlink(at_end);
  ck_assert_int_eq(rmdir(folder), 0);
}

static void must(enum spgc_result result, const struct spgc_error *error) {
  ck_assert_msg(result == SPGC_OK, "%s", error->message);
}

static void start(size_t bytes) {
  struct spgc_error error;
  must(spgc_profile_start(bytes, &error), &error);
}

static void stop(void) {
  struct spgc_error error;
  must(spgc_profile_stop(&error), &error);
}

static struct profile *profile_now(void) {
  struct spgc_error error;
  must(spgc_profile_write(path, &error), &error);
  return profile_read(path);
}

static void refuses(enum spgc_result result, const struct spgc_error *error, const char *message) {
  ck_assert_int_eq(result, SPGC_ERROR_STATE);
  ck_assert_msg(strstr(error->message, message) != NULL, "%s, not: %s", error->message, message);
}

static void make_pairs(uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    spgc_allocate(&world_pair);
}

START_TEST(a_profile_has_its_part_of_the_run) {
  enum { LEAVES = 40, LARGE = 2, LARGE_LENGTH = 100000 };
  make_folder();
  world_open("");
  uint64_t pairs = world_amount(3000, 300, 100);
  make_pairs(pairs);
  spgc_handle_make(spgc_allocate(&world_values));
  spgc_allocate_array(&world_bytes, LARGE_LENGTH);
  start(1);
  uint64_t moved = world_statistics().moved_objects;
  uint64_t collections = world_statistics().collections;
  struct spgc_handle first = world_new_leaf(7);
  for (unsigned i = 1; i < LEAVES; i++)
    world_new_leaf(i);
  make_pairs(pairs);
  for (unsigned i = 0; i < LARGE; i++)
    spgc_allocate_array(&world_bytes, LARGE_LENGTH);
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_ge(world_statistics().collections, collections + 2);
  ck_assert_uint_ge(world_statistics().moved_objects, moved + LEAVES);
  ck_assert_uint_eq(world_get_word(first, 1), 7);
  struct profile *profile = profile_now();
  ck_assert_uint_eq(profile->period, 1);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, "pair", NULL), pairs);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, "bytes", NULL), LARGE);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, "values", NULL), 0);
  ck_assert_uint_eq(profile_sum(profile, INUSE_OBJECTS, NULL, NULL), LEAVES);
  ck_assert_uint_eq(profile_sum(profile, INUSE_OBJECTS, "leaf", NULL), LEAVES);
  stop();
  make_pairs(pairs);
  start(1);
  make_pairs(5);
  profile = profile_now();
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, NULL, NULL), 5);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, "pair", NULL), 5);
  stop();
  make_pairs(pairs);
  world_close();
  remove_files();
}
END_TEST

/* The start draws sample points into a TLAB that has objects. */
START_TEST(estimates_begin_with_the_start) {
  enum { MEAN = 4096, PAIRS = 100000 };
  make_folder();
  world_open_fixed("seed=7,threads=1,concurrent=off,nursery=256k");
  for (int part = 0; part < 3; part++) {
    make_pairs(PAIRS + 17);
    start(MEAN);
    make_pairs(PAIRS);
    double truth = PAIRS * 32.0;
    double space = (double)profile_sum(profile_now(), ALLOC_SPACE, "pair", NULL);
    double bound = truth * 4 / 27; /* four standard deviations; 781 points are due */
    ck_assert_msg(space > truth - bound && space < truth + bound, "%g bytes, not %g", space, truth);
    stop();
  }
  world_close();
  remove_files();
}
END_TEST

enum { THREADS = 4 };

struct worker {
  pthread_t thread;
  _Atomic uint64_t made;
};

static atomic_bool ends;

static void *make_until_the_end(void *own) {
  struct worker *worker = own;
  struct spgc_error error;
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    return "not attached";
  for (; !atomic_load(&ends); atomic_fetch_add(&worker->made, 1))
    spgc_allocate(&world_pair);
  spgc_thread_detach();
  return NULL;
}

static uint64_t made_by(struct worker *workers) {
  uint64_t made = 0;
  for (int i = 0; i < THREADS; i++)
    made += atomic_load(&workers[i].made);
  return made;
}

static void *wait_for_more(void *context) {
  struct worker *workers = context;
  for (int i = 0; i < THREADS; i++)
    for (uint64_t before = atomic_load(&workers[i].made);
         atomic_load(&workers[i].made) < before + 20;)
      usleep(200);
  return NULL;
}

static void *join_all(void *context) {
  struct worker *workers = context;
  void *failure = NULL;
  for (int i = 0; i < THREADS; i++)
    if (pthread_join(workers[i].thread, &failure) != 0 || failure != NULL)
      return "not joined";
  return NULL;
}

/* An object may be allocated but not counted yet. */
START_TEST(running_threads_are_sampled_from_the_start_on) {
  static struct worker workers[THREADS];
  struct spgc_error error;
  make_folder();
  world_open("nursery=32k");
  for (int i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, make_until_the_end, &workers[i]), 0);
  for (int part = 0; part < 3; part++) {
    spgc_call_blocking(wait_for_more, workers);
    uint64_t before = made_by(workers);
    start(1);
    uint64_t begun = made_by(workers);
    spgc_call_blocking(wait_for_more, workers);
    uint64_t then = made_by(workers);
    for (int i = 0; i < 50; i++)
      must(spgc_profile_write(path, &error), &error);
    uint64_t counted = profile_sum(profile_now(), ALLOC_OBJECTS, "pair", NULL);
    ck_assert_uint_ge(counted, then - begun - THREADS);
    ck_assert_uint_le(counted, made_by(workers) - before + THREADS);
    stop();
  }
  atomic_store(&ends, true);
  ck_assert_ptr_null(spgc_call_blocking(join_all, workers));
  world_close();
  remove_files();
}
END_TEST

static void *make_between(void *from_outside) {
  struct spgc_error error;
  if (from_outside == NULL && spgc_profile_start(1, &error) != SPGC_OK)
    return "not started";
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    return "not attached";
  make_pairs(100);
  spgc_thread_detach();
  return NULL;
}

static void *run_and_join(void *context) {
  pthread_t thread;
  void *failure = "not created";
  if (pthread_create(&thread, NULL, make_between, context) == 0)
    pthread_join(thread, &failure);
  return failure;
}

static void *stop_here(void *context) {
  struct spgc_error error;
  return spgc_profile_write(path, &error) == SPGC_OK && spgc_profile_stop(&error) == SPGC_OK
             ? NULL
             : "not stopped";
}

START_TEST(any_thread_may_call) {
  make_folder();
  world_open("");
  ck_assert_ptr_null(spgc_call_blocking(run_and_join, NULL)); /* started by one without a heap */
  ck_assert_ptr_null(spgc_call_blocking(run_and_join, path));
  make_pairs(7);
  ck_assert_ptr_null(spgc_call_blocking(stop_here, NULL));
  ck_assert_uint_eq(profile_sum(profile_read(path), ALLOC_OBJECTS, "pair", NULL), 207);
  make_pairs(7);
  world_close();
  remove_files();
}
END_TEST

START_TEST(a_call_in_the_wrong_state_is_refused) {
  struct spgc_error error;
  refuses(spgc_profile_start(1, &error), &error, "the heap is not started");
  refuses(spgc_profile_stop(&error), &error, "the heap is not started");
  world_open("");
  refuses(spgc_profile_stop(&error), &error, "nothing is sampled");
  refuses(spgc_profile_write("/dev/null", &error), &error, "call spgc_profile_start");
  ck_assert_int_eq(spgc_profile_start(((size_t)1 << 30) + 1, &error), SPGC_ERROR_INVALID_ARGUMENT);
  start(0);
  refuses(spgc_profile_start(1, &error), &error, "sampled already");
  must(spgc_profile_write("/dev/null", &error), &error);
  stop();
  refuses(spgc_profile_stop(&error), &error, "nothing is sampled");
  refuses(spgc_profile_write("/dev/null", NULL), &error, "");
  start(1);
  world_close(); /* ends the sampling */
  world_open("");
  refuses(spgc_profile_stop(&error), &error, "nothing is sampled");
  world_close();
}
END_TEST

static unsigned refused;

static void call_in_pause(void *context, const struct spgc_collection_begin_event *event) {
  refused += spgc_profile_start(1, NULL) == SPGC_ERROR_STATE;
  refused += spgc_profile_write("/dev/null", NULL) == SPGC_ERROR_STATE;
  refused += spgc_profile_stop(NULL) == SPGC_ERROR_STATE;
}

START_TEST(a_call_in_a_pause_is_refused) {
  static struct spgc_listener listener = {.size = sizeof listener,
                                          .collection_begin = call_in_pause};
  world_open("");
  start(1);
  ck_assert_int_eq(spgc_listener_add(&listener, NULL), SPGC_OK);
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_ge(refused, 3);
  stop();
  world_close();
  ck_assert_int_eq(spgc_listener_remove(&listener, NULL), SPGC_OK);
}
END_TEST

/* It must have the whole run. A profile of profile_bytes alone may be stopped. */
START_TEST(the_option_keeps_its_profile) {
  char option[sizeof at_end + 20];
  struct spgc_error error;
  struct spgc_options options;
  make_folder();
  snprintf(option, sizeof option, "profile=%s:1", at_end);
  world_open(option);
  refuses(spgc_profile_start(1, &error), &error, "sampled already");
  refuses(spgc_profile_stop(&error), &error, "profile=FILE");
  make_pairs(9);
  world_close();
  ck_assert_uint_eq(profile_sum(profile_read(at_end), ALLOC_OBJECTS, "pair", NULL), 9);
  unsetenv("SPGC_OPTIONS");
  spgc_options_default(&options);
  options.profile_bytes = 1;
  must(spgc_start(&options, &error), &error);
  must(spgc_thread_attach(__builtin_frame_address(0), &error), &error);
  stop();
  make_pairs(3);
  start(1);
  make_pairs(4);
  ck_assert_uint_eq(profile_sum(profile_now(), ALLOC_OBJECTS, "pair", NULL), 4);
  world_close();
  remove_files();
}
END_TEST

/* The child continues its parent's profile, or begins its own. */
static void profile_in_child(void) {
  struct spgc_error error;
  make_pairs(2);
  if (profile_sum(profile_now(), ALLOC_OBJECTS, "pair", NULL) != 3 ||
      spgc_profile_start(1, &error) != SPGC_ERROR_STATE || spgc_profile_stop(&error) != SPGC_OK)
    _exit(1);
  make_pairs(5);
  start(1);
  make_pairs(4);
  if (profile_sum(profile_now(), ALLOC_OBJECTS, "pair", NULL) != 4)
    _exit(2);
  spgc_thread_detach();
  spgc_stop();
  _exit(0);
}

START_TEST(a_forked_child_has_a_profile_of_its_own) {
  int status = -1;
  make_folder();
  world_open("");
  start(1);
  make_pairs(1);
  pid_t child = fork();
  if (child == 0)
    profile_in_child();
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  make_pairs(6);
  ck_assert_uint_eq(profile_sum(profile_now(), ALLOC_OBJECTS, "pair", NULL), 7);
  world_close();
  remove_files();
}
END_TEST

CHECK_MAIN_WITHIN(60, "heap-profile-calls", a_profile_has_its_part_of_the_run,
                  estimates_begin_with_the_start, running_threads_are_sampled_from_the_start_on,
                  any_thread_may_call, a_call_in_the_wrong_state_is_refused,
                  a_call_in_a_pause_is_refused, the_option_keeps_its_profile,
                  a_forked_child_has_a_profile_of_its_own)
