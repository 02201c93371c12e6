/* The library's threads in a program with THREAD_LOCAL_BYTES of variables, which the C library
 * takes from each stack. */
#include <stdio.h>
#include <unistd.h>

#include "check_main.h"
#include "heap_world.h"
#include "spgc/events.h"

static _Thread_local volatile char variables[THREAD_LOCAL_BYTES];

/* Listeners have most of the stack of the library's threads. */
static _Atomic int heard;

static void use_stack(void) {
  volatile char bytes[128 << 10];
  for (size_t i = 0; i < sizeof bytes; i += 512)
    bytes[i] = 1;
  variables[sizeof variables - 1] = bytes[0];
  heard++;
}

static void hear_step(void *context, const struct spgc_cycle_step_event *event) {
  use_stack();
}

static void hear_worker(void *context, const struct spgc_worker_event *event) {
  use_stack();
}

static struct spgc_listener listener = {
    .size = sizeof listener, .cycle_step = hear_step, .worker = hear_worker};

START_TEST(all_threads_start) {
  char path[64], options[160];
  struct spgc_error error;
  snprintf(path, sizeof path, "thread-local-%d-%d.json", THREAD_LOCAL_BYTES, getpid());
  snprintf(options, sizeof options,
           "trace=%s,limit=8m,nursery=256k,threads=3,concurrent=on,stress=every-100", path);
  variables[0] = 1;
  ck_assert_int_eq(spgc_listener_add(&listener, &error), SPGC_OK);
  world_open_fixed(options);
  ck_assert_int_eq(world_count_threads("spgc-trace"), 1);
  struct spgc_handle list = world_new_list(1000);
  world_churn(2);
  spgc_collect(SPGC_COLLECTION_FULL);
  world_check_list(list, 1000);
  ck_assert_uint_gt(world_statistics().moved_objects, 0);
  ck_assert_int_eq(world_count_threads("spgc-cycle"), 1);
  ck_assert_int_eq(world_count_threads("spgc-worker"), 2);
  ck_assert_int_gt(heard, 0);
  world_close();
  ck_assert_int_eq(access(path, R_OK), 0);
  unlink(path);
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-thread-local", all_threads_start)
