/* Calls that a listener may not make, or only when memory is exhausted. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "ends.h"
#include "fatal_check.h"
#include "heap_world.h"
#include "spgc/events.h"
#include "spgc/generated.h"
#include "spgc/profile.h"
#include "spgc/protect.h"
#include "spgc/snapshot.h"

static void *do_nothing(void *argument) {
  return argument;
}

static void allocate(void) {
  spgc_allocate_slow(&world_pair, 0);
}

static void collect(void) {
  spgc_collect(SPGC_COLLECTION_MINOR);
}

static void verify(void) {
  spgc_heap_verify(NULL);
}

static void block(void) {
  spgc_call_blocking(do_nothing, NULL);
}

static void fork_here(void) {
  if (fork() == 0)
    _exit(0);
}

static const struct {
  void (*call)(void);
  const char *message;
} forbidden[] = {
    {allocate, "spgc_allocate_slow: a listener's callback"},
    {collect, "spgc_collect: a listener's callback"},
    {spgc_poll_slow, "spgc_poll_slow: a listener's callback"},
    {verify, "spgc_heap_verify: a listener's callback"},
    {block, "spgc_call_blocking: a listener's callback"},
    {fork_here, "fork: a listener's callback"},
};

static void (*call)(void);

static void hear_blocking(void *context, const struct spgc_blocking_event *event) {
  call();
}

static struct spgc_listener hears_blocking = {.size = sizeof hears_blocking,
                                              .blocking = hear_blocking};

static void call_in_listener(void) {
  world_open("");
  ck_assert_int_eq(spgc_listener_add(&hears_blocking, NULL), SPGC_OK);
  spgc_call_blocking(do_nothing, NULL);
}

static void leave_here(void) {
  spgc_leave(NULL, NULL);
}

static void *block_and_leave(void *unused) {
  spgc_call_blocking(do_nothing, NULL);
  return unused;
}

static void leave_a_listener(void) {
  call = leave_here;
  world_open("");
  ck_assert_int_eq(spgc_listener_add(&hears_blocking, NULL), SPGC_OK);
  spgc_protect(block_and_leave, NULL, NULL);
}

START_TEST(listeners_end_by_returning) {
  check_is_fatal(leave_a_listener, "spgc_leave: a visitor of a stack walk, a listener's callback");
}
END_TEST

START_TEST(listeners_come_to_no_safepoint) {
  call = forbidden[_i].call;
  check_is_fatal(call_in_listener, forbidden[_i].message);
}
END_TEST

/* ---- Calls that are refused ---- */

static unsigned heard, refused;

static void expect_refusal(enum spgc_result result, const struct spgc_error *error) {
  heard++;
  refused += result == SPGC_ERROR_STATE && strstr(error->message, "a listener's callback");
}

static void ask_for_files(void) {
  struct spgc_error error;
  expect_refusal(spgc_profile_start(1, &error), &error);
  expect_refusal(spgc_profile_write("/dev/null", &error), &error);
  expect_refusal(spgc_profile_stop(&error), &error);
  expect_refusal(spgc_snapshot_write("/dev/null", &error), &error);
}

static void hear_resumed(void *context, const struct spgc_world_resumed_event *event) {
  ask_for_files();
}

static void hear_thread(void *context, const struct spgc_thread_event *event) {
  ask_for_files();
}

static void hear_waited(void *context, const struct spgc_thread_waited_event *event) {
  ask_for_files();
}

static void hear_step(void *context, const struct spgc_cycle_step_event *event) {
  ask_for_files();
}

/* A thread that waited may have no mutator yet; others may have objects without roots. */
START_TEST(files_are_refused_outside_of_pauses_too) {
  static struct spgc_listener listener = {.size = sizeof listener,
                                          .world_resumed = hear_resumed,
                                          .thread_waited = hear_waited,
                                          .cycle_step = hear_step,
                                          .thread_attached = hear_thread,
                                          .thread_detached = hear_thread};
  struct spgc_error error;
  ck_assert_int_eq(spgc_listener_add(&listener, NULL), SPGC_OK);
  world_open_fixed("limit=256m,nursery=1m,concurrent=off,verify=none");
  unsigned before = heard;
  ck_assert_uint_ge(before, 4);
  world_churn(3);
  ck_assert_uint_gt(heard, before);
  ck_assert_uint_eq(refused, heard);
  ck_assert_int_eq(spgc_profile_start(1, &error), SPGC_OK);
  world_close();
  ck_assert_uint_eq(refused, heard);
  ck_assert_int_eq(spgc_listener_remove(&listener, NULL), SPGC_OK);
}
END_TEST

/* ---- Exhausted memory ---- */

static enum spgc_result written, snapshot;
static uint64_t collections;

static void hear_out_of_memory(void *context, const struct spgc_out_of_memory_event *event) {
  uint64_t before = world_statistics().collections;
  spgc_collect(SPGC_COLLECTION_FULL);
  collections = world_statistics().collections - before;
  written = spgc_profile_write("/dev/null", NULL);
  snapshot = spgc_snapshot_write("/dev/null", NULL);
}

START_TEST(listeners_of_exhausted_memory_may_do_what_a_hook_may) {
  static struct spgc_listener listener = {.size = sizeof listener,
                                          .out_of_memory = hear_out_of_memory};
  ck_assert_int_eq(spgc_listener_add(&listener, NULL), SPGC_OK);
  written = snapshot = SPGC_ERROR_STATE;
  world_open("limit=4m");
  ck_assert_int_eq(spgc_profile_start(0, NULL), SPGC_OK);
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  world_fill(list);
  ck_assert_uint_ge(collections, 1);
  ck_assert_int_eq(written, SPGC_OK);
  ck_assert_int_eq(snapshot, SPGC_OK);
  spgc_handle_set(list, spgc_ref_null());
  world_close();
  ck_assert_int_eq(spgc_listener_remove(&listener, NULL), SPGC_OK);
}
END_TEST

enum { RESERVE = 65536, PIECE = 1000 };

static struct {
  unsigned told, hooked;
  uint64_t told_bytes, hooked_bytes;
} exhausted;

static void allocate_up_to(uint64_t *sum, uint64_t bytes) {
  while (*sum < bytes && !spgc_ref_is_null(spgc_allocate_array(&world_bytes, PIECE)))
    *sum += PIECE;
}

static void allocate_half(void *context, const struct spgc_out_of_memory_event *event) {
  exhausted.told++;
  allocate_up_to(&exhausted.told_bytes, RESERVE / 2);
}

static void allocate_rest(void *context, size_t requested_bytes) {
  exhausted.hooked++;
  allocate_up_to(&exhausted.hooked_bytes, RESERVE / 2 - 2 * PIECE);
}

static void keep_all(void *context, const struct spgc_out_of_memory_event *event) {
  struct spgc_ref bytes;
  exhausted.told++;
  while (!spgc_ref_is_null(bytes = spgc_allocate_array(&world_bytes, PIECE))) {
    spgc_handle_make(bytes);
    exhausted.told_bytes += PIECE;
  }
}

static void fill_all(struct spgc_listener *listener, spgc_out_of_memory_hook hook) {
  ck_assert_int_eq(spgc_listener_add(listener, NULL), SPGC_OK);
  world_open("limit=4m");
  spgc_set_out_of_memory_hook(hook, NULL);
  world_fill(spgc_handle_make(spgc_ref_null()));
  spgc_set_out_of_memory_hook(NULL, NULL);
  world_close();
  ck_assert_int_eq(spgc_listener_remove(listener, NULL), SPGC_OK);
}

START_TEST(listeners_and_hook_share_the_reserve) {
  static struct spgc_listener listener = {.size = sizeof listener, .out_of_memory = allocate_half};
  fill_all(&listener, allocate_rest);
  ck_assert_uint_eq(exhausted.told, 1);
  ck_assert_uint_eq(exhausted.hooked, 1);
  ck_assert_uint_ge(exhausted.told_bytes, RESERVE / 2);
  ck_assert_uint_ge(exhausted.hooked_bytes, RESERVE / 2 - 2 * PIECE);
}
END_TEST

START_TEST(a_listener_that_exhausts_the_reserve_is_not_told_again) {
  static struct spgc_listener listener = {.size = sizeof listener, .out_of_memory = keep_all};
  fill_all(&listener, allocate_rest);
  ck_assert_uint_eq(exhausted.told, 1);
  ck_assert_uint_eq(exhausted.hooked, 1);
  ck_assert_uint_ge(exhausted.told_bytes, RESERVE);
}
END_TEST

static void leave(void *context, const struct spgc_out_of_memory_event *event) {
  exhausted.told++;
  ck_assert(!spgc_ref_is_null(spgc_allocate_array(&world_bytes, PIECE)));
  spgc_leave(NULL, &exhausted);
}

static void *fill(void *unused) {
  world_fill(spgc_handle_make(spgc_ref_null()));
  return unused;
}

START_TEST(a_listener_may_leave_as_a_hook_may) {
  enum { ROUNDS = 3 };
  static struct spgc_listener listener = {.size = sizeof listener, .out_of_memory = leave};
  ck_assert_int_eq(spgc_listener_add(&listener, NULL), SPGC_OK);
  world_open("limit=4m");
  spgc_set_out_of_memory_hook(allocate_rest, NULL);
  for (unsigned round = 1; round <= ROUNDS; round++) {
    bool was_left;
    int state;
    ck_assert_ptr_eq(spgc_protect(fill, NULL, &was_left), &exhausted);
    ck_assert(was_left);
    ck_assert_uint_eq(exhausted.told, round);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
    ck_assert_int_eq(state, PTHREAD_CANCEL_ENABLE);
    spgc_collect(SPGC_COLLECTION_FULL);
    world_verify();
  }
  ck_assert_uint_eq(exhausted.hooked, 0);
  spgc_set_out_of_memory_hook(NULL, NULL);
  world_close();
  ck_assert_int_eq(spgc_listener_remove(&listener, NULL), SPGC_OK);
}
END_TEST

static unsigned written_lines;

static void write_blocking(void *context, const struct spgc_blocking_event *event) {
  pthread_testcancel(); /* as write does */
  written_lines++;
}

static void *be_cancelled(void *unused) {
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  pthread_cancel(pthread_self()); /* a Check assertion would be a cancellation point */
  spgc_call_blocking(do_nothing, NULL);
  pthread_testcancel();
  return unused;
}

START_TEST(no_listener_is_cancelled) {
  static struct spgc_listener listener = {.size = sizeof listener, .blocking = write_blocking};
  pthread_t thread;
  world_open("limit=16m");
  ck_assert_int_eq(spgc_listener_add(&listener, NULL), SPGC_OK);
  ck_assert_int_eq(pthread_create(&thread, NULL, be_cancelled, NULL), 0);
  ck_assert_ptr_eq(join_blocking(thread), PTHREAD_CANCELED);
  ck_assert_uint_eq(written_lines, 2);
  world_close();
  ck_assert_int_eq(spgc_listener_remove(&listener, NULL), SPGC_OK);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("heap-listener-calls");
  TCase *tcase = tcase_create("listener calls");
  tcase_set_timeout(tcase, 60);
  tcase_add_loop_test(tcase, listeners_come_to_no_safepoint, 0,
                      (int)(sizeof forbidden / sizeof *forbidden));
  tcase_add_test(tcase, listeners_end_by_returning);
  tcase_add_test(tcase, files_are_refused_outside_of_pauses_too);
  tcase_add_test(tcase, listeners_and_hook_share_the_reserve);
  tcase_add_test(tcase, a_listener_that_exhausts_the_reserve_is_not_told_again);
  tcase_add_test(tcase, a_listener_may_leave_as_a_hook_may);
  tcase_add_test(tcase, no_listener_is_cancelled);
  suite_add_tcase(suite, tcase);
  TCase *snapshots = tcase_create("snapshots");
  tcase_set_tags(snapshots, "snapshot");
  tcase_set_timeout(snapshots, 60);
  tcase_add_test(snapshots, listeners_of_exhausted_memory_may_do_what_a_hook_may);
  suite_add_tcase(suite, snapshots);
  return suite_run(suite);
}
