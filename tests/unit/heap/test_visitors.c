#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check_main.h"
#include "fatal_check.h"
#include "gc/mutator/world.h"
#include "heap_world.h"
#include "spgc/fiber.h"
#include "spgc/generated.h"
#include "spgc/module.h"
#include "spgc/protect.h"
#include "stackwalk/walkers.h"

static void start_inside(void) {
  world_open("");
  spgc_walkers_enter();
}

static void *do_nothing(void *argument) {
  return argument;
}

static void *walk_and_call_managed(void *unused) {
  spgc_walkers_enter();
  return spgc_call_managed(do_nothing, unused);
}

static void *walk_and_leave(void *unused) {
  spgc_walkers_enter();
  spgc_leave(NULL, unused);
}

static void *leave_a_region(void *unused) {
  return spgc_call_blocking(walk_and_leave, unused);
}

static void leave_a_walk(void) {
  world_open("");
  spgc_protect(walk_and_leave, NULL, NULL);
}

static void allocate_inside(void) {
  start_inside();
  spgc_allocate_slow(&world_pair, 0);
}

static void collect_inside(void) {
  start_inside();
  spgc_collect(SPGC_COLLECTION_MINOR);
}

static void poll_inside(void) {
  start_inside();
  spgc_poll_slow();
}

static void verify_inside(void) {
  start_inside();
  spgc_heap_verify(NULL);
}

static void count_inside(void) {
  start_inside();
  spgc_types_live(&world_pair, &world_pair + 1);
}

static void block_inside(void) {
  start_inside();
  spgc_call_blocking(do_nothing, NULL);
}

static void come_back_inside(void) {
  world_open("");
  spgc_call_blocking(walk_and_call_managed, NULL);
}

static void leave_inside(void) {
  world_open("");
  spgc_protect(leave_a_region, NULL, NULL);
}

static void attach_inside(void) {
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  spgc_walkers_enter();
  spgc_thread_attach(__builtin_frame_address(0), NULL);
}

static void detach_inside(void) {
  start_inside();
  spgc_thread_detach();
}

static struct spgc_fiber_end end_fiber(void *value) {
  return (struct spgc_fiber_end){value, NULL};
}

static void switch_inside(void) {
  struct spgc_fiber *fiber;
  start_inside();
  ck_assert_int_eq(spgc_fiber_create(end_fiber, NULL, SPGC_FIBER_STACK_LEAST, &fiber, NULL),
                   SPGC_OK);
  spgc_fiber_switch(fiber, spgc_fiber_current());
}

static void *end_inside(void *unused) {
  spgc_thread_attach(__builtin_frame_address(0), NULL);
  spgc_walkers_enter();
  return unused;
}

static void end_a_thread_inside(void) {
  pthread_t thread;
  world_open("");
  ck_assert_int_eq(pthread_create(&thread, NULL, end_inside, NULL), 0);
  pthread_join(thread, NULL);
}

/* It has stopped the world, and waits for the end of the walk. */
static void *fork_elsewhere(void *stopping) {
  struct spgc_stopped_world world;
  spgc_world_stop_to_fork(NULL, &world);
  *(atomic_bool *)stopping = true;
  pause();
  return NULL;
}

static void *fork_inside(void *unused) {
  static atomic_bool stopping;
  pthread_t thread;
  spgc_walkers_enter();
  ck_assert_int_eq(pthread_create(&thread, NULL, fork_elsewhere, &stopping), 0);
  while (!atomic_load(&stopping))
    sched_yield();
  fork();
  return unused;
}

static void fork_twice(void) {
  world_open("");
  spgc_call_blocking(fork_inside, NULL);
}

static const struct {
  void (*body)(void);
  const char *call;
} inside[] = {
    {allocate_inside, "spgc_allocate_slow: a visitor of a stack walk"},
    {collect_inside, "spgc_collect: a visitor of a stack walk"},
    {poll_inside, "spgc_poll_slow: a visitor of a stack walk"},
    {verify_inside, "spgc_heap_verify: a visitor of a stack walk"},
    {count_inside, "spgc_types_count: a visitor of a stack walk"},
    {block_inside, "spgc_call_blocking: a visitor of a stack walk"},
    {come_back_inside, "spgc_call_managed: a visitor of a stack walk"},
    {leave_inside, "spgc_leave: a visitor of a stack walk"},
    {leave_a_walk, "spgc_leave: a visitor of a stack walk"},
    {attach_inside, "spgc_thread_attach: a visitor of a stack walk"},
    {detach_inside, "spgc_thread_detach: a visitor of a stack walk"},
    {switch_inside, "spgc_fiber_switch: a visitor of a stack walk"},
    {end_a_thread_inside, "the end of a thread: a visitor of a stack walk"},
    {fork_twice, "fork: a visitor of a stack walk"},
};

START_TEST(visitors_come_to_no_safepoint) {
  check_is_fatal(inside[_i].body, inside[_i].call);
}
END_TEST

static void wait_for_walks_inside_one(void) {
  alarm(60); /* which only ever means a hang */
  spgc_walkers_enter();
  spgc_walkers_wait();
}

static void *leave_at_once(void *value) {
  spgc_leave(NULL, value);
}

START_TEST(visitors_leave_calls_of_their_own) {
  bool was_left;
  world_open("");
  unsigned entered = spgc_walkers_enter();
  ck_assert_ptr_eq(spgc_protect(leave_at_once, &was_left, &was_left), &was_left);
  ck_assert(was_left);
  spgc_walkers_leave(entered);
}
END_TEST

START_TEST(a_walk_does_not_wait_for_itself) {
  check_is_fatal(wait_for_walks_inside_one,
                 "a visitor of a stack walk waits for the walk's own end");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("heap-visitors");
  TCase *tcase = tcase_create("visitors");
  tcase_set_timeout(tcase, 60);
  tcase_add_loop_test(tcase, visitors_come_to_no_safepoint, 0,
                      (int)(sizeof inside / sizeof *inside));
  tcase_add_test(tcase, visitors_leave_calls_of_their_own);
  tcase_add_test(tcase, a_walk_does_not_wait_for_itself);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
