/* SPGC_TEST_MUTATORS overrides their number, up to 16. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "ends.h"
#include "fatal_check.h"
#include "heap_world.h"
#include "spgc/generated.h"

enum { MOST_MUTATORS = 16 };

static pthread_t start(void *(*body)(void *), void *argument) {
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, body, argument), 0);
  return thread;
}

static void *wait_until_true(void *flag) {
  while (!atomic_load((atomic_bool *)flag))
    sched_yield();
  return flag;
}

static void wait_for(atomic_bool *flag) {
  spgc_call_blocking(wait_until_true, flag);
}

static void attach(void *base) {
  ck_assert_int_eq(spgc_thread_attach(base, NULL), SPGC_OK);
}

static int mutators(void) {
  uint64_t count = world_number("SPGC_TEST_MUTATORS", 4);
  return count < MOST_MUTATORS ? (int)count : MOST_MUTATORS;
}

static uint64_t rounds(uint64_t plain) {
  return world_amount(plain, plain, 2);
}

static void *keep_lists(void *rounds_wanted) {
  attach(__builtin_frame_address(0));
  for (uint64_t i = 0; i < *(uint64_t *)rounds_wanted; i++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle kept = world_new_list(world_is_stressed() ? 20 : 5000),
                       again = world_new_list(20);
    if (i % 8 == 0)
      spgc_collect(i % 16 == 0 ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
    world_check_list(kept, world_is_stressed() ? 20 : 5000);
    world_check_list(again, 20);
    spgc_scope_close(scope);
  }
  spgc_thread_detach();
  return rounds_wanted;
}

static void run_threads(void *(*body)(void *), void *argument, int count) {
  pthread_t threads[MOST_MUTATORS];
  for (int i = 0; i < count; i++)
    threads[i] = start(body, argument);
  for (int i = 0; i < count; i++)
    ck_assert_ptr_nonnull(join_blocking(threads[i]));
}

START_TEST(mutators_keep_their_objects) {
  world_open("nursery=256k,limit=256m");
  uint64_t wanted =
      rounds(world_verifies() ? 34 : 100); /* collections then walk the whole heap, twice */
  struct spgc_handle mine = world_new_list(100);
  run_threads(keep_lists, &wanted, _i + 1);
  world_check_list(mine, 100);
  struct spgc_statistics statistics = world_statistics();
  ck_assert_uint_gt(statistics.moved_objects, 0);
  uint64_t length = world_is_stressed() ? 40 : 5020;
  ck_assert_uint_eq(statistics.allocated_bytes,
                    (100 + (uint64_t)(_i + 1) * wanted * length) * world_pair.size);
  world_close();
}
END_TEST

static void *allocate_a_little(void *context) {
  attach(__builtin_frame_address(0));
  world_check_list(world_new_list(10), 10);
  spgc_thread_detach();
  return context;
}

static void *come_and_go(void *wanted) {
  for (uint64_t i = 0; i < *(uint64_t *)wanted; i++)
    allocate_a_little(wanted);
  return wanted;
}

START_TEST(threads_attach_and_detach_during_collections) {
  world_open("");
  uint64_t wanted = rounds(300);
  pthread_t threads[MOST_MUTATORS];
  for (int i = 0; i < mutators(); i++)
    threads[i] = start(come_and_go, &wanted);
  struct spgc_handle mine = world_new_list(100);
  for (uint64_t i = 0; i < rounds(300); i++)
    spgc_collect(SPGC_COLLECTION_MINOR);
  for (int i = 0; i < mutators(); i++)
    join_blocking(threads[i]);
  world_check_list(mine, 100);
  world_close();
}
END_TEST

static void *end_attached(void *context) {
  attach(__builtin_frame_address(0));
  spgc_scope_open();
  world_new_list(50);
  return context;
}

static void *exit_attached(void *context) {
  end_attached(context);
  pthread_exit(context);
}

static void *exit_thread(void *context) {
  pthread_exit(context);
}

static void *exit_blocking(void *context) {
  end_attached(context);
  spgc_call_blocking(exit_thread, context);
  return NULL;
}

START_TEST(a_thread_that_ends_is_detached) {
  static void *(*const ends[])(void *) = {end_attached, exit_attached, exit_blocking};
  world_open("");
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    pthread_t thread = start(ends[i], &thread);
    ck_assert_ptr_eq(join_blocking(thread), &thread);
    spgc_collect(SPGC_COLLECTION_FULL);
    world_verify();
  }
  world_close();
}
END_TEST

static void *wait_for_cancellation(void *started) {
  atomic_store((atomic_bool *)started, true);
  while (atomic_load((atomic_bool *)started))
    pthread_testcancel();
  return NULL;
}

static void *be_cancelled(void *started) {
  attach(__builtin_frame_address(0));
  world_new_list(50);
  return spgc_call_blocking(wait_for_cancellation, started);
}

START_TEST(a_thread_cancelled_while_it_blocks_is_detached) {
  world_open("");
  atomic_bool started = false;
  pthread_t thread = start(be_cancelled, &started);
  wait_for(&started);
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_int_eq(pthread_cancel(thread), 0);
  ck_assert_ptr_eq(join_blocking(thread), PTHREAD_CANCELED);
  world_close();
}
END_TEST

static void *poll_until(void *done) {
  attach(__builtin_frame_address(0));
  struct spgc_handle list = world_new_list(100);
  while (!atomic_load((atomic_bool *)done))
    if (__atomic_load_n(&spgc_thread.poll, __ATOMIC_RELAXED) != 0)
      spgc_poll_slow();
  world_check_list(list, 100);
  spgc_thread_detach();
  return done;
}

START_TEST(polls_stop_threads_that_allocate_nothing) {
  world_open("");
  atomic_bool done = false;
  pthread_t threads[MOST_MUTATORS];
  int others = mutators() > 1 ? mutators() - 1 : 1;
  for (int i = 0; i < others; i++)
    threads[i] = start(poll_until, &done);
  for (uint64_t i = 0; i < rounds(100); i++)
    spgc_collect(i % 2 == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
  atomic_store(&done, true);
  for (int i = 0; i < others; i++)
    ck_assert_ptr_eq(join_blocking(threads[i]), &done);
  world_close();
}
END_TEST

static atomic_bool blocked, unblocked;

static void *block(void *argument) {
  ck_assert_ptr_eq(argument, &blocked);
  atomic_store(&blocked, true);
  wait_until_true(&unblocked);
  return &unblocked;
}

static void *hold_a_list_and_block(void *context) {
  uint64_t length = world_amount(1000, 1000, 100);
  attach(__builtin_frame_address(0));
  struct spgc_handle list = world_new_list(length);
  uintptr_t address = spgc_handle_get(list).word;
  ck_assert_ptr_eq(spgc_call_blocking(block, &blocked), &unblocked);
  ck_assert_uint_ne(spgc_handle_get(list).word, address);
  world_check_list(list, length);
  world_check_list(world_new_list(length), length);
  spgc_thread_detach();
  return context;
}

START_TEST(a_blocked_thread_is_not_waited_for_and_its_objects_move) {
  world_open("");
  pthread_t thread = start(hold_a_list_and_block, &thread);
  wait_for(&blocked);
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_FULL);
  world_verify();
  atomic_store(&unblocked, true);
  join_blocking(thread);
  world_close();
}
END_TEST

static void *build_inside(void *count) {
  struct spgc_scope scope = spgc_scope_open();
  world_check_list(world_new_list(*(uint64_t *)count), *(uint64_t *)count);
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_scope_close(scope);
  return count;
}

static void *come_back_in(void *count) {
  for (int i = 0; i < 3; i++)
    ck_assert_ptr_eq(spgc_call_managed(build_inside, count), count);
  return count;
}

static void *leave_again(void *count) {
  return spgc_call_blocking(come_back_in, count);
}

static void *nest(void *count) {
  return spgc_call_managed(leave_again, count);
}

START_TEST(a_blocked_thread_may_come_back_for_a_call) {
  world_open("");
  uint64_t count = world_amount(200, 200, 60);
  struct spgc_handle mine = world_new_list(50);
  ck_assert_ptr_eq(spgc_call_blocking(come_back_in, &count), &count);
  ck_assert_ptr_eq(spgc_call_blocking(nest, &count), &count);
  world_check_list(mine, 50);
  world_close();
}
END_TEST

/* All hooks run at once. */
static pthread_barrier_t hooks;
static atomic_int hook_calls;

static void *wait_for_hooks(void *context) {
  pthread_barrier_wait(&hooks);
  return context;
}

static void use_the_reserve(void *context, size_t requested) {
  spgc_call_blocking(wait_for_hooks, NULL);
  for (size_t bytes = 0; bytes < 65536; bytes += world_element_bytes()) {
    struct spgc_ref element = world_new_element();
    ck_assert(!spgc_ref_is_null(element));
    spgc_store(spgc_slot_at((struct spgc_ref *)spgc_ref_memory(element) + 2),
               spgc_handle_get(*(struct spgc_handle *)context));
  }
  atomic_fetch_add(&hook_calls, 1);
  spgc_call_blocking(wait_for_hooks, NULL);
}

static void *fill_memory(void *context) {
  attach(__builtin_frame_address(0));
  spgc_call_blocking(wait_for_hooks, NULL);
  world_fill(spgc_handle_make(spgc_ref_null()));
  spgc_thread_detach();
  return context;
}

START_TEST(threads_that_run_out_of_memory_together_each_get_their_hook) {
  world_open(world_is_stressed() ? "limit=4m" : "limit=8m");
  struct spgc_handle nothing = spgc_handle_make(spgc_ref_null());
  ck_assert_int_eq(pthread_barrier_init(&hooks, NULL, (unsigned)mutators()), 0);
  spgc_set_out_of_memory_hook(use_the_reserve, &nothing);
  run_threads(fill_memory, &hooks, mutators());
  ck_assert_int_eq(atomic_load(&hook_calls), mutators());
  ck_assert_uint_le(world_statistics().peak_heap_bytes, 8 << 20);
  uint64_t length = world_amount(1000, 1000, 50);
  world_check_list(world_new_list(length), length);
  spgc_set_out_of_memory_hook(NULL, NULL);
  world_close();
}
END_TEST

static void *attach_once(void *result) {
  struct spgc_error error;
  *(enum spgc_result *)result = spgc_thread_attach(__builtin_frame_address(0), &error);
  if (*(enum spgc_result *)result == SPGC_OK)
    spgc_thread_detach();
  else
    ck_assert_ptr_nonnull(strstr(error.message, "out-of-memory hook"));
  return result;
}

START_TEST(a_thread_without_space_for_its_reserve_is_not_attached) {
  world_open(world_is_stressed() ? "limit=4m" : "limit=8m");
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  uint64_t count = world_fill(list);
  enum spgc_result result;
  join_blocking(start(attach_once, &result));
  ck_assert_int_eq(result, SPGC_ERROR_NO_MEMORY);
  ck_assert_uint_gt(count, 0);
  spgc_handle_set(list, spgc_ref_null());
  join_blocking(start(attach_once, &result)); /* garbage is found */
  ck_assert_int_eq(result, SPGC_OK);
  world_close();
}
END_TEST

/* Each thread in turn fills the memory and its reserve. */
static struct {
  pthread_barrier_t attached, turns[MOST_MUTATORS + 1];
  atomic_int next;
  uint64_t bytes[MOST_MUTATORS];
} greed;
static _Thread_local int turn;
static _Thread_local struct spgc_handle kept;

static void *wait_at(void *barrier) {
  pthread_barrier_wait(barrier);
  return barrier;
}

static void keep_the_reserve(void *context, size_t requested) {
  struct spgc_ref element;
  while (!spgc_ref_is_null(element = world_new_element())) {
    spgc_store(spgc_slot_at((struct spgc_ref *)spgc_ref_memory(element) + 2),
               spgc_handle_get(kept));
    spgc_handle_set(kept, element);
    greed.bytes[turn] += world_element_bytes();
  }
}

static void *be_greedy(void *context) {
  attach(__builtin_frame_address(0));
  turn = atomic_fetch_add(&greed.next, 1);
  kept = spgc_handle_make(spgc_ref_null());
  spgc_call_blocking(wait_at, &greed.attached);
  spgc_call_blocking(wait_at, &greed.turns[turn]);
  world_fill(spgc_handle_make(spgc_ref_null()));
  spgc_call_blocking(wait_at, &greed.turns[turn + 1]);
  spgc_call_blocking(wait_at, &greed.attached);
  spgc_thread_detach();
  return context;
}

static void *take_turns(void *count) {
  pthread_barrier_wait(&greed.attached);
  pthread_barrier_wait(&greed.turns[0]);
  pthread_barrier_wait(&greed.turns[*(int *)count]);
  pthread_barrier_wait(&greed.attached);
  return count;
}

START_TEST(what_hooks_keep_is_not_of_the_reserves_of_others) {
  world_open(world_is_stressed() ? "limit=4m" : "limit=8m");
  spgc_set_out_of_memory_hook(keep_the_reserve, NULL);
  int count = mutators();
  ck_assert_int_eq(pthread_barrier_init(&greed.attached, NULL, (unsigned)count + 1), 0);
  for (int i = 0; i <= count; i++)
    ck_assert_int_eq(pthread_barrier_init(&greed.turns[i], NULL, 2), 0);
  pthread_t threads[MOST_MUTATORS];
  for (int i = 0; i < count; i++)
    threads[i] = start(be_greedy, &greed);
  spgc_call_blocking(take_turns, &count);
  for (int i = 0; i < count; i++) {
    join_blocking(threads[i]);
    ck_assert_uint_ge(greed.bytes[i], 65536);
  }
  spgc_set_out_of_memory_hook(NULL, NULL);
  world_close();
}
END_TEST

enum { SHARED = 200 };
static struct spgc_handle shared[SHARED];

static void *use_global_handles(void *wanted) {
  attach(__builtin_frame_address(0));
  for (uint64_t i = 0; i < *(uint64_t *)wanted; i++) {
    struct spgc_handle mine[20];
    for (int k = 0; k < 20; k++) {
      struct spgc_scope scope = spgc_scope_open();
      mine[k] = spgc_global_handle_make(spgc_handle_get(world_new_leaf((uint64_t)k)));
      spgc_scope_close(scope);
    }
    for (uint64_t k = 0; k < 20; k++) {
      ck_assert_uint_eq(world_get_word(mine[k], 1), k);
      spgc_global_handle_release(mine[k]);
    }
  }
  spgc_thread_detach();
  return wanted;
}

START_TEST(global_handles_are_made_and_released_by_all_threads) {
  world_open("nursery=32k");
  uint64_t wanted = rounds(500), count = world_amount(SHARED, SHARED, SHARED / 5);
  for (uint64_t i = 0; i < count; i++)
    shared[i] = spgc_global_handle_make(spgc_handle_get(world_new_leaf(i)));
  run_threads(use_global_handles, &wanted, mutators());
  for (uint64_t i = 0; i < count; i++)
    ck_assert_uint_eq(world_get_word(shared[i], 1), i);
  world_close();
}
END_TEST

static void *allocate_outside(void *context) {
  spgc_allocate(&world_leaf);
  return context;
}

static void *detach_outside(void *context) {
  spgc_thread_detach();
  return context;
}

static void allocate_while_blocking(void) {
  world_open("");
  world_new_leaf(1);
  spgc_call_blocking(allocate_outside, NULL);
}

static void detach_while_blocking(void) {
  world_open("");
  spgc_call_blocking(detach_outside, NULL);
}

static void come_back_without_having_left(void) {
  world_open("");
  spgc_call_managed(allocate_outside, NULL);
}

START_TEST(misuse_is_fatal) {
  check_is_fatal(allocate_while_blocking, "is in spgc_call_blocking");
  check_is_fatal(detach_while_blocking, "is in spgc_call_blocking");
  check_is_fatal(come_back_without_having_left, "spgc_call_managed outside spgc_call_blocking");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("heap-threads");
  TCase *tcase = tcase_create("threads");
  tcase_set_timeout(tcase, 120);
  tcase_add_loop_test(tcase, mutators_keep_their_objects, 0, mutators());
  tcase_add_test(tcase, threads_attach_and_detach_during_collections);
  tcase_add_test(tcase, a_thread_that_ends_is_detached);
  tcase_add_test(tcase, a_thread_cancelled_while_it_blocks_is_detached);
  tcase_add_test(tcase, polls_stop_threads_that_allocate_nothing);
  tcase_add_test(tcase, a_blocked_thread_is_not_waited_for_and_its_objects_move);
  tcase_add_test(tcase, a_blocked_thread_may_come_back_for_a_call);
  tcase_add_test(tcase, threads_that_run_out_of_memory_together_each_get_their_hook);
  tcase_add_test(tcase, a_thread_without_space_for_its_reserve_is_not_attached);
  tcase_add_test(tcase, what_hooks_keep_is_not_of_the_reserves_of_others);
  tcase_add_test(tcase, global_handles_are_made_and_released_by_all_threads);
  tcase_add_test(tcase, misuse_is_fatal);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
