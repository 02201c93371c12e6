#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gc/state/runtime.h"
#include "heap/remembered/buffers.h"
#include "heap/remembered/tables.h"
#include "heap_world.h"
#include "spgc/weak.h"
#include "tests/support/suite.h"

enum {
  FIRST = 2,                                                    /* word of an array's items */
  GROUP_WORDS = (1 << SPGC_GROUP_CARD_SHIFT) / SPGC_WORD_BYTES, /* items on a group of cards */
  CAPACITY = SPGC_STORE_BUFFER_BYTES / SPGC_WORD_BYTES - 2,     /* fields in a buffer */
  GROUPS_FILLED = CAPACITY / SPGC_MOST_GROUP_STORES,            /* by a full one */
};

/* Items are far apart: the first ones of groups. */
static unsigned item_of_group(unsigned group) {
  return FIRST + group * GROUP_WORDS;
}

/* Each group has as many fields as go to buffers. */
static unsigned item_of_field(unsigned field) {
  return item_of_group(field / SPGC_MOST_GROUP_STORES) + field % SPGC_MOST_GROUP_STORES;
}

static struct spgc_handle new_old_array(unsigned groups) {
  struct spgc_handle array =
      spgc_handle_make(spgc_allocate_array(&world_references, (uint64_t)groups * GROUP_WORDS));
  spgc_collect(SPGC_COLLECTION_FULL);
  return array;
}

static void store_leaf(struct spgc_handle array, unsigned item, uint64_t number) {
  struct spgc_ref leaf = spgc_allocate(&world_leaf);
  ((uint64_t *)spgc_ref_memory(leaf))[1] = number;
  world_set(array, item, leaf);
}

static uint64_t number_at(struct spgc_handle array, unsigned item) {
  return ((const uint64_t *)spgc_ref_memory(world_get(array, item)))[1];
}

static uint32_t buffered(void) {
  return spgc_store_buffers_count(&spgc_runtime.heap);
}

static size_t group_of(struct spgc_handle object, unsigned word) {
  return ((uintptr_t)world_field(object, word) - spgc_runtime.heap.base) >> SPGC_GROUP_CARD_SHIFT;
}

static bool is_dirty(size_t group) {
  return spgc_runtime.heap.group_cards[group] == SPGC_CARD_DIRTY;
}

START_TEST(a_group_has_few_fields_in_buffers) {
  world_open_fixed("nursery=4m");
  struct spgc_handle array = new_old_array(2);
  unsigned item = item_of_group(1);
  size_t group = group_of(array, item);
  for (unsigned i = 0; i < SPGC_MOST_GROUP_STORES; i++) {
    ck_assert_uint_eq(spgc_runtime.heap.group_stores[group], i);
    store_leaf(array, item + i, i);
    ck_assert_uint_eq(buffered(), i + 1);
    ck_assert(!is_dirty(group));
  }
  store_leaf(array, item + SPGC_MOST_GROUP_STORES, SPGC_MOST_GROUP_STORES);
  ck_assert(is_dirty(group));
  ck_assert_uint_eq(buffered(), SPGC_MOST_GROUP_STORES);
  world_verify();
  world_collect_moving(SPGC_COLLECTION_MINOR,
                       (SPGC_MOST_GROUP_STORES + 1) * (uint64_t)world_leaf.size);
  ck_assert_uint_eq(buffered(), 0);
  ck_assert_uint_eq(spgc_runtime.heap.group_stores[group], 0);
  ck_assert(!is_dirty(group));
  for (unsigned i = 0; i <= SPGC_MOST_GROUP_STORES; i++)
    ck_assert_uint_eq(number_at(array, item + i), i);
  world_close();
}
END_TEST

START_TEST(stores_to_young_objects_are_not_noted) {
  world_open_fixed("nursery=4m");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair)),
                     array = spgc_handle_make(spgc_allocate_array(&world_references, 100000));
  world_set(pair, 2, spgc_handle_get(array));
  store_leaf(array, item_of_group(5), 5);
  ck_assert_uint_eq(buffered(), 0);
  spgc_collect(SPGC_COLLECTION_MINOR);
  world_set(pair, 2, spgc_handle_get(array));
  store_leaf(array, item_of_group(5), 6);
  ck_assert_uint_eq(buffered(), 2);
  world_close();
}
END_TEST

START_TEST(a_full_buffer_takes_no_more) {
  enum { GROUPS = GROUPS_FILLED + 100, STORES = SPGC_MOST_GROUP_STORES };
  world_open_fixed("nursery=16m");
  struct spgc_handle array = new_old_array(GROUPS);
  for (unsigned group = 0; group < GROUPS; group++)
    for (unsigned i = 0; i < STORES; i++)
      store_leaf(array, item_of_group(group) + i / 2, (uint64_t)group * STORES + i);
  ck_assert_uint_eq(buffered(), CAPACITY);
  ck_assert(is_dirty(group_of(array, item_of_group(GROUPS - 1))));
  ck_assert(!is_dirty(group_of(array, item_of_group(1))));
  world_verify();
  world_collect_moving(SPGC_COLLECTION_MINOR, (uint64_t)GROUPS * STORES / 2 * world_leaf.size);
  for (unsigned group = 0; group < GROUPS; group++)
    for (unsigned i = 1; i < STORES; i += 2)
      ck_assert_uint_eq(number_at(array, item_of_group(group) + i / 2),
                        (uint64_t)group * STORES + i);
  ck_assert_uint_eq(buffered(), 0);
  world_close();
}
END_TEST

enum {
  THREADS = 4,
  THREAD_GROUPS = 500,
  FIELDS = SPGC_MOST_GROUP_STORES / THREADS, /* so that no group gets dirty */
};

static struct spgc_handle shared;
static pthread_barrier_t stored, may_end;

/* Each thread has its own items, in common groups. */
static unsigned item_of_thread(unsigned thread, unsigned group, unsigned field) {
  return item_of_group(group) + thread * FIELDS + field;
}

static void store_all(unsigned thread) {
  for (unsigned group = 0; group < THREAD_GROUPS; group++)
    for (unsigned field = 0; field < FIELDS; field++)
      store_leaf(shared, item_of_thread(thread, group, field),
                 item_of_thread(thread, group, field));
}

static void check_all(unsigned threads) {
  for (unsigned thread = 0; thread < threads; thread++)
    for (unsigned group = 0; group < THREAD_GROUPS; group++)
      for (unsigned field = 0; field < FIELDS; field++)
        ck_assert_uint_eq(number_at(shared, item_of_thread(thread, group, field)),
                          item_of_thread(thread, group, field));
}

static void *wait_for_end(void *threads) {
  for (int i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_join(((const pthread_t *)threads)[i], NULL), 0);
  return NULL;
}

static void *wait_at(void *barrier) {
  pthread_barrier_wait(barrier);
  return NULL;
}

static void *store_and_wait(void *thread) {
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  store_all((unsigned)(uintptr_t)thread);
  spgc_call_blocking(wait_at, &stored);
  spgc_call_blocking(wait_at, &may_end);
  spgc_thread_detach();
  return NULL;
}

static void *store_and_detach(void *thread) {
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  store_all((unsigned)(uintptr_t)thread);
  spgc_thread_detach();
  return NULL;
}

static void begin(pthread_t threads[THREADS], void *(*run)(void *)) {
  pthread_barrier_init(&stored, NULL, THREADS + 1);
  pthread_barrier_init(&may_end, NULL, THREADS + 1);
  for (uintptr_t i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, run, (void *)i), 0);
}

static const char *const modes[] = {"nursery=16m,threads=1",
                                    "nursery=16m,threads=4,stress=every-1000000000",
                                    "nursery=16m,threads=3,stress=every-1000000000,verify=full"};

START_TEST(all_threads_fields_are_scanned) {
  pthread_t threads[THREADS];
  world_open_fixed(modes[_i]);
  shared = spgc_global_handle_make(spgc_handle_get(new_old_array(THREAD_GROUPS)));
  for (int round = 0; round < 3; round++) {
    begin(threads, store_and_wait);
    spgc_call_blocking(wait_at, &stored);
    ck_assert_uint_eq(buffered(), THREADS * THREAD_GROUPS * FIELDS);
    world_verify();
    world_collect_moving(SPGC_COLLECTION_MINOR,
                         (uint64_t)THREADS * THREAD_GROUPS * FIELDS * world_leaf.size);
    ck_assert_uint_eq(buffered(), 0);
    check_all(THREADS);
    spgc_call_blocking(wait_at, &may_end);
    spgc_call_blocking(wait_for_end, threads);
  }
  spgc_global_handle_release(shared);
  world_close();
}
END_TEST

/* Two fields, in units of different workers, refer to each leaf, in the same order. */
START_TEST(workers_agree_on_the_copy_of_what_two_fields_refer_to) {
  enum { GROUPS = 2000, LEAVES = GROUPS * SPGC_MOST_GROUP_STORES / 2, ROUNDS = 10 };
  world_open_fixed(modes[1]);
  struct spgc_handle array = new_old_array(GROUPS);
  for (int round = 0; round < ROUNDS; round++) {
    for (unsigned leaf = 0; leaf < LEAVES; leaf++)
      store_leaf(array, item_of_field(leaf), leaf);
    for (unsigned leaf = 0; leaf < LEAVES; leaf++)
      world_set(array, item_of_field(LEAVES + leaf), world_get(array, item_of_field(leaf)));
    ck_assert_uint_eq(buffered(), 2 * LEAVES);
    world_collect_moving(SPGC_COLLECTION_MINOR, LEAVES * (uint64_t)world_leaf.size);
    for (unsigned leaf = 0; leaf < LEAVES; leaf++) {
      ck_assert_uint_eq(number_at(array, item_of_field(leaf)), leaf);
      ck_assert_uint_eq(world_get(array, item_of_field(LEAVES + leaf)).word,
                        world_get(array, item_of_field(leaf)).word);
    }
  }
  world_close();
}
END_TEST

/* The cards of groups with one field more than go to buffers are scanned. Units of workers meet in
 * the middle of words of the groups' cards. */
START_TEST(workers_scan_neighbouring_groups) {
  enum { GROUPS = 2000, STORES = SPGC_MOST_GROUP_STORES + 1 };
  world_open_fixed(modes[1]);
  struct spgc_handle array = new_old_array(GROUPS);
  for (unsigned group = 0; group < GROUPS; group++)
    for (unsigned i = 0; i < STORES; i++)
      store_leaf(array, item_of_group(group) + i, group + i);
  ck_assert(is_dirty(group_of(array, item_of_group(GROUPS - 1))));
  world_collect_moving(SPGC_COLLECTION_MINOR, (uint64_t)GROUPS * STORES * world_leaf.size);
  for (unsigned group = 0; group < GROUPS; group++)
    for (unsigned i = 0; i < STORES; i++)
      ck_assert_uint_eq(number_at(array, item_of_group(group) + i), group + i);
  world_close();
}
END_TEST

START_TEST(fields_of_threads_that_have_detached_are_scanned) {
  pthread_t threads[THREADS];
  world_open_fixed("nursery=16m");
  shared = spgc_global_handle_make(spgc_handle_get(new_old_array(THREAD_GROUPS)));
  begin(threads, store_and_detach);
  spgc_call_blocking(wait_for_end, threads);
  ck_assert_uint_eq(buffered(), 0);
  world_verify();
  world_collect_moving(SPGC_COLLECTION_MINOR,
                       (uint64_t)THREADS * THREAD_GROUPS * FIELDS * world_leaf.size);
  check_all(THREADS);
  spgc_global_handle_release(shared);
  world_close();
}
END_TEST

static void *wait_for_child(void *status) {
  ck_assert_int_ne(wait(status), -1);
  return NULL;
}

/* The child does not have the other threads. */
START_TEST(a_forked_child_scans_the_fields_of_all_threads) {
  pthread_t threads[THREADS];
  int status;
  world_open_fixed("nursery=16m,concurrent=off,threads=1");
  shared = spgc_global_handle_make(spgc_handle_get(new_old_array(THREAD_GROUPS)));
  begin(threads, store_and_wait);
  spgc_call_blocking(wait_at, &stored);
  pid_t child = fork();
  if (child == 0) {
    world_verify();
    spgc_collect(SPGC_COLLECTION_MINOR);
    world_verify();
    check_all(THREADS);
    store_all(0);
    spgc_collect(SPGC_COLLECTION_MINOR);
    check_all(THREADS);
    _exit(0);
  }
  ck_assert_int_gt(child, 0);
  spgc_call_blocking(wait_for_child, &status);
  ck_assert_int_eq(status, 0);
  spgc_collect(SPGC_COLLECTION_MINOR);
  check_all(THREADS);
  spgc_call_blocking(wait_at, &may_end);
  spgc_call_blocking(wait_for_end, threads);
  spgc_global_handle_release(shared);
  world_close();
}
END_TEST

/* ---- Collections of every kind ---- */

static const struct {
  const char *options;
  enum spgc_collection kind;
} collections[] = {
    {"nursery=16m", SPGC_COLLECTION_MINOR},
    {"nursery=16m", SPGC_COLLECTION_FULL},
    {"nursery=16m,move=always", SPGC_COLLECTION_MINOR},
    {"nursery=16m,born=random", SPGC_COLLECTION_MINOR},
    {"nursery=16m,concurrent=off,threads=1,growth=1", SPGC_COLLECTION_MINOR}, /* always marking */
};

START_TEST(no_collection_misses_a_field) {
  world_open_fixed(collections[_i].options);
  shared = spgc_global_handle_make(spgc_handle_get(new_old_array(THREAD_GROUPS)));
  for (int round = 0; round < 5; round++) {
    store_all(0);
    ck_assert_uint_gt(buffered(), 0);
    spgc_collect(collections[_i].kind);
    ck_assert_uint_eq(buffered(), 0);
    for (size_t group = group_of(shared, FIRST), i = 0; i < THREAD_GROUPS; i++)
      ck_assert_uint_eq(spgc_runtime.heap.group_stores[group + i], 0);
    world_verify();
    check_all(1);
  }
  spgc_global_handle_release(shared);
  world_close();
}
END_TEST

START_TEST(a_word_that_had_null_stored_can_be_a_weak_field) {
  world_open_fixed("nursery=4m");
  struct spgc_handle holder = world_new_holder(spgc_handle_make(spgc_ref_null()));
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_scope scope = spgc_scope_open();
  world_set(holder, WORLD_WEAK_OFFSET / SPGC_WORD_BYTES, spgc_ref_null());
  ck_assert_uint_eq(buffered(), 1);
  ck_assert_int_eq(spgc_weak_bind(spgc_handle_get(holder), WORLD_WEAK_OFFSET,
                                  spgc_handle_get(world_new_leaf(1)), NULL),
                   SPGC_OK);
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert(spgc_ref_is_null(world_weak_referent(holder)));
  world_close();
}
END_TEST

static Suite *suite(void) {
  Suite *suite = suite_create("heap-store-buffers");
  TCase *tests = tcase_create("heap-store-buffers");
  enum {
    MODES = sizeof modes / sizeof modes[0],
    COLLECTIONS = sizeof collections / sizeof collections[0]
  };
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, a_group_has_few_fields_in_buffers);
  tcase_add_test(tests, stores_to_young_objects_are_not_noted);
  tcase_add_test(tests, a_full_buffer_takes_no_more);
  tcase_add_loop_test(tests, all_threads_fields_are_scanned, 0, MODES);
  tcase_add_test(tests, workers_agree_on_the_copy_of_what_two_fields_refer_to);
  tcase_add_test(tests, workers_scan_neighbouring_groups);
  tcase_add_test(tests, fields_of_threads_that_have_detached_are_scanned);
  tcase_add_test(tests, a_forked_child_scans_the_fields_of_all_threads);
  tcase_add_loop_test(tests, no_collection_misses_a_field, 0, COLLECTIONS);
  tcase_add_test(tests, a_word_that_had_null_stored_can_be_a_weak_field);
  suite_add_tcase(suite, tests);
  return suite;
}

int main(void) {
  return suite_run(suite());
}
