/* A managed thread in unmanaged code, called with a "gc-transition", stops no collection. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "spgc/thread.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

enum { ROUNDS = 20, COLLECTIONS = 3, COLLECTED = ROUNDS * COLLECTIONS };

static atomic_int waiting,
    released; /* how often the managed thread began to wait, and was let go on */

/* Waits until another thread has collected. */
static int64_t wait_for(int64_t n) {
  int mine = atomic_fetch_add(&waiting, 1) + 1;
  while (atomic_load(&released) < mine)
    sched_yield();
  return 1000 + n;
}

/* 18 when every argument arrived. */
static void mix(int8_t a, double b, double *result, int64_t c, int64_t d, int64_t e, int64_t f,
                int64_t g, int64_t h) {
  *result = a + b * 2 - 5 + (double)(c + d + e + f + g + h);
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
  jit_world_define("mix", (void *)mix);
  jit_world_load_file("transitions.ll", (unsigned)_i);
  ck_assert_int_eq(pthread_create(&thread, NULL, collect_while_it_waits, NULL), 0);
  ck_assert_int_eq(jit_world_run("call_waiting", ROUNDS),
                   ROUNDS * (1000 + 18) + ROUNDS * (ROUNDS - 1) / 2);
  ck_assert_uint_ge(jit_world_finish().moved_objects, COLLECTED);
  pthread_join(thread, NULL);
  jit_world_stop();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-transition");
  TCase *tests = tcase_create("transition");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, collections_go_on_while_a_thread_waits, 0, 4);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
