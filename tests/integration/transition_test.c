#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>

#include "spgc/thread.h"
#include "tests/integration/jit_world.h"
#include "tests/support/fatal_check.h"
#include "tests/support/suite.h"

enum { ROUNDS = 20, COLLECTIONS = 3, COLLECTED = ROUNDS * COLLECTIONS };

static atomic_int waiting,
    released; /* how often the managed thread began to wait, and was released */

static void *wait_for(void *number) {
  int mine = atomic_fetch_add(&waiting, 1) + 1;
  while (atomic_load(&released) < mine)
    sched_yield();
  *(int64_t *)number += 1000;
  return number;
}

static void *collect_while_it_waits(void *unused) {
  struct spgc_error error;
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  for (int round = 1; round <= ROUNDS; round++) {
    while (atomic_load(&waiting) < round)
      spgc_collect(SPGC_COLLECTION_MINOR);
    for (int i = 0; i < COLLECTIONS; i++)
      spgc_collect(SPGC_COLLECTION_FULL);
    atomic_store(&released, round);
  }
  spgc_thread_detach();
  return NULL;
}

START_TEST(collections_go_on_while_a_thread_waits) {
  pthread_t thread;
  jit_world_start("verify=full,poison=on,move=always,walk=differential,seed=5,limit=64m");
  jit_world_define("wait_for", (void *)wait_for);
  jit_world_load_file("transitions.ll", (unsigned)_i);
  ck_assert_int_eq(pthread_create(&thread, NULL, collect_while_it_waits, NULL), 0);
  ck_assert_int_eq(jit_world_run("call_waiting", ROUNDS),
                   ROUNDS * 1000 + ROUNDS * (ROUNDS - 1) / 2);
  ck_assert_uint_ge(jit_world_finish().moved_objects, COLLECTED);
  pthread_join(thread, NULL);
  jit_world_stop();
}
END_TEST

enum { DEEP = 60 };

static const char dive[] = "declare i64 @at_the_bottom(i64)\n"
                           "declare i64 @return_number(i64)\n"
                           "define i64 @dive(i64 %depth) gc \"statepoint-example\" {\n"
                           "  %ends = icmp eq i64 %depth, 0\n"
                           "  br i1 %ends, label %bottom, label %deeper\n"
                           "bottom:\n"
                           "  %last = call i64 @at_the_bottom(i64 0)\n"
                           "  ret i64 %last\n"
                           "deeper:\n"
                           "  %less = sub i64 %depth, 1\n"
                           "  %result = call i64 @dive(i64 %less)\n"
                           "  %again = call i64 @return_number(i64 %result)\n"
                           "  ret i64 %again\n"
                           "}\n";

static int64_t return_number(int64_t n) {
  return n;
}

/* Sets barriers. */
static int64_t collect(int64_t n) {
  for (int i = 0; i < COLLECTIONS; i++)
    spgc_collect(SPGC_COLLECTION_MINOR);
  return n + 7;
}

static int64_t collect_and_detach(int64_t n) {
  n = collect(n);
  spgc_thread_detach();
  return n;
}

static jmp_buf above;

static int64_t collect_and_jump(int64_t n) {
  collect(n);
  longjmp(above, 1);
}

static void start_dive(number_function *at_the_bottom) {
  jit_world_start("");
  jit_world_define("at_the_bottom", (void *)at_the_bottom);
  jit_world_define("return_number", (void *)return_number);
  jit_world_load_text(dive, 2);
}

static void detach_below_managed_frames(void) {
  start_dive(collect_and_detach);
  jit_world_run("dive", DEEP);
}

START_TEST(a_thread_must_not_detach_below_managed_frames) {
  check_is_fatal(detach_below_managed_frames, "spgc_thread_detach: called below a managed frame");
}
END_TEST

/* The frame covers the barriers' places, and still holds them. */
static void __attribute__((noinline)) detach_from_a_large_frame(void) {
  char unwritten[64 << 10];
  __asm__ volatile("" : : "r"(unwritten) : "memory");
  spgc_thread_detach();
  __asm__ volatile("" : : "r"(unwritten) : "memory");
}

START_TEST(a_thread_may_detach_where_managed_frames_were) {
  number_function *const at_the_bottom[] = {collect, collect_and_jump};
  for (int i = 0; i < 2; i++) {
    struct spgc_error error;
    start_dive(at_the_bottom[i]);
    number_function *function = (number_function *)(uintptr_t)jit_world_lookup("dive");
    ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
    if (setjmp(above) == 0)
      ck_assert_int_eq(function(DEEP), 7);
    detach_from_a_large_frame();
    jit_world_stop();
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-transition");
  TCase *tests = tcase_create("transition");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, collections_go_on_while_a_thread_waits, 0, 4);
  tcase_add_test(tests, a_thread_must_not_detach_below_managed_frames);
  tcase_add_test(tests, a_thread_may_detach_where_managed_frames_were);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
