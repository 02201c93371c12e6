#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "fatal_check.h"
#include "heap_world.h"
#include "spgc/finalizer.h"
#include "spgc/generated.h"
#include "spgc/identity.h"
#include "spgc/module.h"
#include "spgc/pin.h"
#include "spgc/weak_map.h"
#include "stackmap_builder.h"

/* A failing assertion writes to a pipe, which is a cancellation point. */
static void must(bool holds) {
  if (!holds)
    abort();
}

static void attach(void *base) {
  must(spgc_thread_attach(base, NULL) == SPGC_OK);
}

static void *join(void *thread) {
  void *result;
  must(pthread_join(*(pthread_t *)thread, &result) == 0);
  return result;
}

static void *join_blocking(pthread_t thread) {
  return spgc_call_blocking(join, &thread);
}

static void discard_log(void) {
  int null = open("/dev/null", O_WRONLY);
  ck_assert_int_ge(dup2(null, STDERR_FILENO), 0);
  close(null);
}

static void *return_at_once(void *argument) {
  return argument;
}

static void *collect_inside(void *argument) {
  spgc_collect(SPGC_COLLECTION_FULL);
  return argument;
}

static void *go_back(void *argument) {
  return spgc_call_managed(collect_inside, argument);
}

static void call_collect_minor(void) {
  spgc_collect(SPGC_COLLECTION_MINOR);
}

static void call_collect_full(void) {
  spgc_collect(SPGC_COLLECTION_FULL);
}

static void call_allocate(void) {
  for (uint64_t i = world_amount(20000, 20000, 300); i != 0; i--)
    spgc_allocate(&world_pair);
}

static void call_allocate_large(void) {
  for (int i = 0; i < 40; i++)
    spgc_allocate_array(&world_bytes, 1 << 20);
}

static void call_exhaust(void) {
  must(spgc_ref_is_null(spgc_allocate_array(&world_bytes, UINT32_MAX)));
}

static void call_poll(void) {
  spgc_poll_slow();
}

static void call_blocking(void) {
  spgc_call_blocking(return_at_once, NULL);
}

static void call_managed(void) {
  spgc_call_blocking(go_back, NULL);
}

static void call_attach_and_detach(void) {
  spgc_thread_detach();
  attach(__builtin_frame_address(0));
}

static void call_verify(void) {
  must(spgc_heap_verify(NULL) == SPGC_OK);
}

static void call_statistics(void) {
  world_statistics();
}

static struct stackmap_builder builder;

static void make_map(void) {
  builder_header(&builder, 3, 1, 0, 1);
  builder_function(&builder, 0x10000, 8, 1);
  builder_statepoint(&builder, 1, 16, NULL, 0);
}

static void call_module(void) {
  struct spgc_module module = {
      .version = SPGC_MODULE_VERSION, .stackmaps = builder.bytes, .name = "made up"};
  must(spgc_module_register(&module, builder.size, NULL) == SPGC_OK);
  spgc_module_unregister(&module);
}

static void call_types_live(void) {
  must(spgc_types_live(&world_records, &world_records + 1) == 0);
}

static void call_tables(void) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle leaf = world_new_leaf(1),
                     holder = spgc_handle_make(spgc_allocate(&world_holder));
  struct spgc_handle global = spgc_global_handle_make(spgc_handle_get(leaf));
  struct spgc_weak_map map;
  must(spgc_pin(spgc_handle_get(leaf), NULL) == SPGC_OK);
  must(spgc_finalizer_register(spgc_handle_get(leaf), spgc_ref_null(), NULL) == SPGC_OK);
  must(spgc_weak_map_create(spgc_handle_get(holder), &map, NULL) == SPGC_OK);
  must(spgc_weak_map_set(map, spgc_handle_get(leaf), spgc_handle_get(holder), NULL) == SPGC_OK);
  must(spgc_identity_hash(spgc_handle_get(leaf)) != 0);
  must(spgc_finalizer_cancel(spgc_handle_get(leaf)));
  spgc_unpin(spgc_handle_get(leaf));
  spgc_weak_map_destroy(map);
  spgc_global_handle_release(global);
  spgc_scope_close(scope);
}

static const struct call {
  const char *name;
  void (*make)(void);
} calls[] = {
    {"spgc_collect, minor", call_collect_minor},
    {"spgc_collect, full", call_collect_full},
    {"spgc_allocate", call_allocate},
    {"spgc_allocate_array", call_allocate_large},
    {"spgc_allocate_array without memory", call_exhaust},
    {"spgc_poll_slow", call_poll},
    {"spgc_call_blocking", call_blocking},
    {"spgc_call_managed", call_managed},
    {"spgc_thread_detach and _attach", call_attach_and_detach},
    {"spgc_heap_verify", call_verify},
    {"spgc_statistics_read", call_statistics},
    {"spgc_module_register", call_module},
    {"spgc_types_live", call_types_live},
    {"handles, pins, weak things", call_tables},
};

enum { CALLS = sizeof calls / sizeof *calls };

static atomic_bool went_on;

/* Requests take effect at the first cancellation point. */
static void *call_while_cancelled(void *call) {
  attach(__builtin_frame_address(0));
  world_new_list(100);
  pthread_cancel(pthread_self());
  ((const struct call *)call)->make();
  atomic_store(&went_on, true);
  pthread_testcancel();
  return call;
}

START_TEST(no_call_is_a_cancellation_point) {
  pthread_t thread;
  discard_log();
  make_map();
  world_open("limit=32m,nursery=256k,threads=3,log=gc");
  struct spgc_handle mine = world_new_list(100);
  ck_assert_int_eq(pthread_create(&thread, NULL, call_while_cancelled, (void *)&calls[_i]), 0);
  ck_assert_ptr_eq(join_blocking(thread), PTHREAD_CANCELED);
  ck_assert_msg(atomic_load(&went_on), "%s is a cancellation point", calls[_i].name);
  spgc_collect(SPGC_COLLECTION_FULL);
  world_check_list(mine, 100);
  builder_free(&builder);
  world_close();
}
END_TEST

static void *start_and_stop_while_cancelled(void *context) {
  pthread_cancel(pthread_self());
  must(spgc_start(NULL, NULL) == SPGC_OK);
  attach(__builtin_frame_address(0));
  spgc_collect(SPGC_COLLECTION_FULL);
  spgc_thread_detach();
  spgc_stop();
  atomic_store(&went_on, true);
  pthread_testcancel();
  return context;
}

START_TEST(a_cancelled_thread_starts_and_stops_the_heap) {
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, start_and_stop_while_cancelled, NULL), 0);
  ck_assert_ptr_eq(join(&thread), PTHREAD_CANCELED);
  ck_assert(atomic_load(&went_on));
  world_open("");
  world_close();
}
END_TEST

static void fill(int end) {
  char bytes[4096];
  memset(bytes, ' ', sizeof bytes);
  ck_assert_int_eq(fcntl(end, F_SETFL, O_NONBLOCK), 0);
  for (size_t size = sizeof bytes; size != 0; size /= 2)
    while (write(end, bytes, size) > 0)
      continue;
  ck_assert_int_eq(fcntl(end, F_SETFL, 0), 0);
}

static void *collect_and_log(void *context) {
  attach(__builtin_frame_address(0));
  spgc_collect(SPGC_COLLECTION_FULL);
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  atomic_store(&went_on, true);
  must(write(STDERR_FILENO, "\n", 1) == 1);
  pthread_setcancelstate(state, NULL);
  pthread_testcancel();
  return context;
}

/* Cancels a thread that has stopped the world and waits for a reader of its log. */
struct blocked_log {
  pthread_t thread;
  int end;
};

static void *cancel_and_read(void *context) {
  const struct blocked_log *log = context;
  char bytes[4096];
  ck_assert_int_eq(pthread_cancel(log->thread), 0);
  while (!atomic_load(&went_on))
    ck_assert_int_gt(read(log->end, bytes, sizeof bytes), 0);
  return join((void *)&log->thread);
}

START_TEST(a_thread_is_cancelled_while_it_logs_a_collection) {
  int ends[2];
  struct blocked_log log;
  ck_assert_int_eq(pipe(ends), 0);
  world_open("log=gc");
  int before = dup(STDERR_FILENO);
  ck_assert_int_ge(dup2(ends[1], STDERR_FILENO), 0);
  fill(ends[1]);
  log.end = ends[0];
  ck_assert_int_eq(pthread_create(&log.thread, NULL, collect_and_log, NULL), 0);
  void *result = spgc_call_blocking(cancel_and_read, &log);
  ck_assert_int_ge(dup2(before, STDERR_FILENO), 0);
  ck_assert_ptr_eq(result, PTHREAD_CANCELED);
  world_close();
}
END_TEST

static void *allocate_for_ever(void *steps) {
  attach(__builtin_frame_address(0));
  for (;;) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle list = world_new_list(50);
    spgc_call_blocking(return_at_once, NULL);
    must(world_get_word(list, 1) == 0);
    spgc_scope_close(scope);
    atomic_fetch_add((atomic_uint *)steps, 1);
    pthread_testcancel();
  }
  return NULL;
}

START_TEST(threads_are_cancelled_while_they_allocate) {
  enum { THREADS = 3 };
  discard_log();
  world_open("limit=32m,nursery=32k,threads=2,log=gc");
  struct spgc_handle mine = world_new_list(100);
  for (unsigned i = 0; i < world_amount(60, 30, 8); i++) {
    pthread_t threads[THREADS];
    atomic_uint steps = 0;
    for (int k = 0; k < THREADS; k++)
      ck_assert_int_eq(pthread_create(&threads[k], NULL, allocate_for_ever, &steps), 0);
    while (atomic_load(&steps) < i % 7)
      spgc_collect(SPGC_COLLECTION_MINOR);
    for (int k = 0; k < THREADS; k++)
      ck_assert_int_eq(pthread_cancel(threads[k]), 0);
    for (int k = 0; k < THREADS; k++)
      ck_assert_ptr_eq(join_blocking(threads[k]), PTHREAD_CANCELED);
    world_check_list(mine, 100);
  }
  world_close();
}
END_TEST

static void exit_thread(void *context, size_t requested_bytes) {
  pthread_exit(context);
}

static void *exhaust_memory(void *context) {
  attach(__builtin_frame_address(0));
  world_new_list(10);
  spgc_allocate_array(&world_bytes, UINT32_MAX);
  return NULL;
}

static void exit_interrupted(void *result) {
  pthread_exit(result);
}

static void *be_interrupted(void *context) {
  attach(__builtin_frame_address(0));
  world_new_list(10);
  spgc_thread_interrupt();
  spgc_poll_slow();
  return NULL;
}

START_TEST(threads_may_end_in_hooks) {
  static void *(*const bodies[])(void *) = {exhaust_memory, be_interrupted};
  world_open("limit=32m");
  spgc_set_out_of_memory_hook(exit_thread, &went_on);
  spgc_set_interrupt_hook(exit_interrupted, &went_on);
  for (size_t i = 0; i < 2 * sizeof bodies / sizeof *bodies; i++) {
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, bodies[i % 2], NULL), 0);
    ck_assert_ptr_eq(join_blocking(thread), &went_on);
    spgc_collect(SPGC_COLLECTION_FULL);
  }
  spgc_set_out_of_memory_hook(NULL, NULL);
  spgc_set_interrupt_hook(NULL, NULL);
  world_close();
}
END_TEST

static void collect_with_asynchronous_cancellation(void) {
  world_open("");
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  spgc_collect(SPGC_COLLECTION_MINOR);
}

START_TEST(asynchronous_cancellation_is_refused) {
  struct spgc_error error;
  check_is_fatal(collect_with_asynchronous_cancellation, "cancellation type is asynchronous");
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), &error), SPGC_ERROR_STATE);
  ck_assert_ptr_nonnull(strstr(error.message, "asynchronous"));
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), &error), SPGC_OK);
  world_close();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("heap-cancellation");
  TCase *tcase = tcase_create("cancellation");
  tcase_set_timeout(tcase, 30);
  tcase_add_loop_test(tcase, no_call_is_a_cancellation_point, 0, CALLS);
  tcase_add_test(tcase, a_cancelled_thread_starts_and_stops_the_heap);
  tcase_add_test(tcase, a_thread_is_cancelled_while_it_logs_a_collection);
  tcase_add_test(tcase, threads_are_cancelled_while_they_allocate);
  tcase_add_test(tcase, threads_may_end_in_hooks);
  tcase_add_test(tcase, asynchronous_cancellation_is_refused);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
