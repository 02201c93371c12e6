/* Objects born old, in holes. */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gc/mutator/misuse.h"
#include "gc/state/runtime.h"
#include "heap_world.h"
#include "support/random.h"
#include "tests/support/suite.h"

enum { MIB = 1 << 20, SLOTS = 100000 };

static uint64_t born_bytes(void) {
  return world_statistics().born_old_bytes;
}

/* Leaves survive for long, and die here and there. */
static void replace(struct spgc_handle slots, uint64_t count, struct spgc_random *random) {
  for (uint64_t i = 0; i < count; i++) {
    struct spgc_scope scope = spgc_scope_open();
    unsigned slot = (unsigned)(spgc_random_next(random) % SLOTS);
    world_set(slots, 2 + slot, spgc_handle_get(world_new_leaf(slot)));
    spgc_scope_close(scope);
  }
}

static void check(struct spgc_handle slots) {
  for (unsigned i = 0; i < SLOTS; i++) {
    const uint64_t *leaf = spgc_ref_memory(world_get(slots, 2 + i));
    if (leaf != NULL)
      ck_assert_uint_eq(leaf[1], i);
  }
}

static struct spgc_handle new_slots(void) {
  return spgc_handle_make(spgc_allocate_array(&world_references, SLOTS));
}

/* 64 MiB, more than enough survivors for objects to be born old. */
enum { ENOUGH = 60 * SLOTS };

/* With a fixed nursery, nothing depends on a clock. Mutators mark. */
static const char policy[] = "nursery=512k,concurrent=off,threads=1,growth=100,limit=32m";

START_TEST(objects_are_born_old_where_most_survive) {
  world_open_fixed(policy);
  struct spgc_random random = {1};
  struct spgc_handle slots = new_slots();
  replace(slots, ENOUGH, &random);
  struct spgc_statistics before = world_statistics();
  replace(slots, ENOUGH, &random);
  struct spgc_statistics after = world_statistics();
  uint64_t allocated = after.allocated_bytes - before.allocated_bytes;
  ck_assert_uint_gt(after.final_marks, before.final_marks);
  ck_assert_uint_gt(after.born_old_bytes - before.born_old_bytes, allocated / 4);
  ck_assert_uint_lt(after.moved_bytes - before.moved_bytes, allocated / 8);
  check(slots);
  world_close();
}
END_TEST

START_TEST(a_program_whose_objects_die_young_is_soon_collected_by_copying) {
  enum { WAIT = 128 * MIB };
  world_open_fixed(policy);
  struct spgc_random random = {2};
  struct spgc_handle slots = new_slots();
  replace(slots, ENOUGH, &random);
  ck_assert_uint_gt(born_bytes(), 0);
  for (uint64_t end = world_statistics().allocated_bytes + WAIT;
       world_statistics().allocated_bytes < end;)
    spgc_allocate(&world_pair);
  uint64_t born = born_bytes(), promoted = world_statistics().promoted_bytes;
  for (unsigned i = 0; i < 8 * MIB / 32; i++)
    spgc_allocate(&world_pair);
  ck_assert_uint_eq(born_bytes(), born);
  ck_assert_uint_lt(world_statistics().promoted_bytes - promoted, MIB);
  check(slots);
  world_close();
}
END_TEST

START_TEST(objects_are_not_born_old_where_most_die) {
  world_open_fixed(policy);
  struct spgc_handle list = world_new_list(1000);
  for (unsigned i = 0; i < 64 * MIB / 32; i++)
    spgc_allocate(&world_pair);
  ck_assert_uint_eq(born_bytes(), 0);
  world_check_list(list, 1000);
  world_close();
}
END_TEST

static const char *const modes[] = {
    "born=old,verify=full",
    "born=old,verify=full,nursery=256k,threads=3",
    "born=random,seed=1,verify=full,nursery=128k",
    "born=random,seed=2,verify=full,move=always,nursery=512k",
    "born=random,seed=3,verify=full,poison=on,nursery=64k",
    "born=random,seed=4,stress=random:0.002,verify=full,poison=on,move=always,walk=differential"};
enum { MODES = sizeof modes / sizeof *modes };

START_TEST(they_are_counted) {
  world_open_fixed("born=old");
  spgc_collect(SPGC_COLLECTION_FULL);
  uint64_t born = born_bytes(), allocated = world_statistics().allocated_bytes;
  enum { COUNT = 5000 };
  struct spgc_handle list = world_new_list(COUNT);
  ck_assert_uint_eq(born_bytes() - born, COUNT * (uint64_t)world_pair.size);
  ck_assert_uint_eq(world_statistics().allocated_bytes - allocated,
                    COUNT * (uint64_t)world_pair.size);
  uint64_t promoted = world_statistics().promoted_bytes;
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_eq(born_bytes() - born, COUNT * (uint64_t)world_pair.size);
  ck_assert_uint_eq(world_statistics().promoted_bytes, promoted);
  world_check_list(list, COUNT);
  world_close();
}
END_TEST

START_TEST(they_may_refer_to_young_objects_from_clean_cards) {
  enum { LARGE = 4000 };
  world_open_fixed(modes[_i]);
  for (int kind = SPGC_COLLECTION_MINOR; kind <= SPGC_COLLECTION_FULL; kind++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle leaf = world_new_leaf(7);
    struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, LARGE));
    world_set(array, 2, spgc_handle_get(leaf));
    struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
    ((uintptr_t *)spgc_ref_memory(spgc_handle_get(pair)))[2] = spgc_handle_get(array).word;
    spgc_handle_set(leaf, spgc_ref_null());
    spgc_handle_set(array, spgc_ref_null());
    spgc_collect((enum spgc_collection)kind);
    array = spgc_handle_make(world_get(pair, 2));
    ck_assert_uint_eq(world_get_word(array, 1), LARGE);
    ck_assert_uint_eq(world_get_word(spgc_handle_make(world_get(array, 2)), 1), 7);
    spgc_scope_close(scope);
  }
  world_close();
}
END_TEST

START_TEST(they_live_and_die_like_others) {
  world_open_fixed(modes[_i]);
  struct spgc_random random = {3};
  struct spgc_handle slots = new_slots();
  uint64_t count = SLOTS / 2;
  for (int round = 0; round < 3; round++) {
    replace(slots, world_amount(count, count, 2000), &random);
    spgc_collect(SPGC_COLLECTION_FULL);
  }
  ck_assert_uint_gt(born_bytes(), 0);
  if (strstr(modes[_i], "born=random") != NULL)
    ck_assert_uint_gt(world_statistics().moved_objects, 0);
  ck_assert_uint_lt(world_statistics().live_bytes,
                    SLOTS * (uint64_t)(world_leaf.size + sizeof(uint64_t)) + MIB);
  check(slots);
  world_close();
}
END_TEST

/* Up to 1 KiB may be in holes. */
START_TEST(objects_of_all_sizes_are_born) {
  enum { COUNT = 3000, MOST = 12000 };
  world_open_fixed(modes[_i]);
  struct spgc_random random = {4};
  struct spgc_handle slots = spgc_handle_make(spgc_allocate_array(&world_references, COUNT));
  for (unsigned i = 0; i < 4 * COUNT; i++) {
    struct spgc_scope scope = spgc_scope_open();
    unsigned slot = (unsigned)(spgc_random_next(&random) % COUNT);
    uint64_t length = spgc_random_next(&random) % (i % 16 == 0 ? MOST : 1200);
    world_set(slots, 2 + slot, spgc_allocate_array(&world_bytes, length));
    spgc_scope_close(scope);
    if (i % COUNT == 0)
      spgc_collect(SPGC_COLLECTION_FULL);
  }
  for (unsigned i = 0; i < COUNT; i++)
    if (!spgc_ref_is_null(world_get(slots, 2 + i)))
      ck_assert_uint_lt(((uint64_t *)spgc_ref_memory(world_get(slots, 2 + i)))[1], MOST);
  world_close();
}
END_TEST

/* So few that the full collection leaves them. Returns the other objects, at least half of
 * `count`. */
static struct spgc_handle leave_holes(unsigned count, uint64_t length) {
  enum { PERIOD = 16 };
  struct spgc_handle kept = spgc_handle_make(spgc_allocate_array(&world_references, count));
  for (unsigned i = 0, next = 2; i < count; i++) {
    struct spgc_ref made = spgc_allocate_array(&world_bytes, length);
    if (i % PERIOD != 0)
      world_set(kept, next++, made);
  }
  spgc_collect(SPGC_COLLECTION_FULL);
  return kept;
}

START_TEST(requests_that_fit_no_hole_are_met) {
  enum { COUNT = 40000, SMALL = 160, LARGER = 220, REQUESTS = 20000 };
  world_open_fixed(_i == 0 ? "born=old,nursery=512k,limit=16m,concurrent=off"
                           : "nursery=512k,limit=16m,concurrent=off");
  leave_holes(COUNT, SMALL);
  uint64_t full = world_statistics().full_collections;
  for (unsigned i = 0; i < REQUESTS; i++)
    ck_assert(!spgc_ref_is_null(spgc_allocate_array(&world_bytes, LARGER)));
  ck_assert_uint_le(world_statistics().full_collections - full, 1);
  world_close();
}
END_TEST

/* No cache knows their type. The first hole may be the last of its block. */
START_TEST(objects_behind_a_hole_that_is_being_filled_are_objects) {
  enum { COUNT = 4000, LENGTH = 160 };
  world_open_fixed("born=old,limit=16m,concurrent=off");
  struct spgc_handle kept = leave_holes(COUNT, LENGTH);
  const struct spgc_heap *heap = &spgc_runtime.heap;
  unsigned behind = 0;
  for (unsigned tries = 0; behind == 0 && tries < COUNT; tries++) {
    struct spgc_scope scope = spgc_scope_open();
    uintptr_t born = spgc_handle_get(world_new_leaf(1)).word;
    for (unsigned i = 0; i < COUNT / 2; i++) {
      struct spgc_ref object = world_get(kept, 2 + i);
      memset(spgc_known_types, 0, sizeof spgc_known_types);
      ck_assert_uint_ge(spgc_object_size(object), LENGTH);
      behind += object.word > born &&
                spgc_heap_block_of(heap, object.word) == spgc_heap_block_of(heap, born);
    }
    spgc_scope_close(scope);
  }
  ck_assert_uint_gt(behind, 0);
  world_close();
}
END_TEST

/* A marker would read unfinished objects. */
START_TEST(none_is_born_old_during_a_marking) {
  world_open_fixed("born=old,limit=32m,concurrent=off");
  enum { SEEN = 20000 };
  struct spgc_handle list = world_new_list(20000);
  for (uint64_t seen = 0; seen < SEEN;) {
    uint64_t born = born_bytes();
    bool marks = spgc_runtime.cycle.marker.active;
    spgc_allocate(&world_pair);
    if (marks && spgc_runtime.cycle.marker.active) {
      ck_assert_uint_eq(born_bytes(), born);
      seen++;
    }
  }
  world_check_list(list, 20000);
  world_close();
}
END_TEST

START_TEST(births_alone_begin_a_cycle) {
  world_open_fixed("born=old,limit=64m,concurrent=off,nursery=8m");
  for (unsigned i = 0; i < 128 * MIB / 32; i++)
    spgc_allocate(&world_pair);
  struct spgc_statistics statistics = world_statistics();
  ck_assert_uint_gt(statistics.final_marks, 1);
  ck_assert_uint_eq(statistics.full_collections, 0);
  ck_assert_uint_le(statistics.peak_heap_bytes, 48 * MIB);
  world_close();
}
END_TEST

static void *allocate_little(void *unused) {
  struct spgc_error error;
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), &error), SPGC_OK);
  for (int i = 0; i < 10; i++)
    spgc_allocate(&world_pair);
  spgc_thread_detach();
  return unused;
}

static void *run_threads(void *unused) {
  enum { THREADS = 200 };
  for (int i = 0; i < THREADS; i++) {
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, allocate_little, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
  }
  return unused;
}

/* The heap grows by at most `blocks` while other threads start and end. */
static void check_growth(void *(*run)(void *), uint64_t blocks) {
  world_open_fixed("born=old,concurrent=off");
  uint64_t before = world_statistics().heap_bytes;
  spgc_call_blocking(run, NULL);
  ck_assert_uint_le(world_statistics().heap_bytes - before, blocks * SPGC_BLOCK_BYTES);
  world_close();
}

START_TEST(threads_leave_their_holes_to_others) {
  check_growth(run_threads, 8);
}
END_TEST

static sem_t first_has_allocated, second_has_allocated, first_has_ended;

static void attach_and_allocate(void *base) {
  struct spgc_error error;
  ck_assert_int_eq(spgc_thread_attach(base, &error), SPGC_OK);
  for (int i = 0; i < 10; i++)
    spgc_allocate(&world_pair);
}

static void *wait_for(void *semaphore) {
  sem_wait(semaphore);
  return NULL;
}

static void *end_first(void *unused) {
  attach_and_allocate(__builtin_frame_address(0));
  sem_post(&first_has_allocated);
  spgc_call_blocking(wait_for, &second_has_allocated);
  spgc_thread_detach();
  sem_post(&first_has_ended);
  return unused;
}

static void *end_second(void *unused) {
  sem_wait(&first_has_allocated);
  attach_and_allocate(__builtin_frame_address(0));
  sem_post(&second_has_allocated);
  spgc_call_blocking(wait_for, &first_has_ended);
  spgc_thread_detach();
  return unused;
}

static void *run_pairs(void *unused) {
  enum { PAIRS = 100 };
  for (int i = 0; i < PAIRS; i++) {
    pthread_t first, second;
    ck_assert_int_eq(pthread_create(&first, NULL, end_first, NULL), 0);
    ck_assert_int_eq(pthread_create(&second, NULL, end_second, NULL), 0);
    ck_assert_int_eq(pthread_join(first, NULL) + pthread_join(second, NULL), 0);
  }
  return unused;
}

/* The first of a pair takes up to 32 blocks that others have left, so the second may need a new
 * one. */
START_TEST(threads_that_end_in_any_order_leave_their_holes) {
  sem_init(&first_has_allocated, 0, 0);
  sem_init(&second_has_allocated, 0, 0);
  sem_init(&first_has_ended, 0, 0);
  check_growth(run_pairs, 40);
}
END_TEST

static void *wait_for_end(void *unused) {
  sem_post(&first_has_allocated);
  sem_wait(&first_has_ended);
  return unused;
}

static void *stay_attached(void *unused) {
  attach_and_allocate(__builtin_frame_address(0));
  spgc_call_blocking(wait_for_end, NULL);
  spgc_thread_detach();
  return unused;
}

static void check_in_child(uint64_t born, uint64_t allocated) {
  struct spgc_statistics statistics = world_statistics();
  bool same = statistics.born_old_bytes == born && statistics.allocated_bytes == allocated;
  world_verify();
  struct spgc_handle list = world_new_list(1000);
  spgc_collect(SPGC_COLLECTION_FULL);
  world_verify();
  world_check_list(list, 1000);
  _exit(same ? 0 : 1);
}

START_TEST(holes_of_other_threads_are_closed_in_a_child) {
  pthread_t thread;
  int status;
  sem_init(&first_has_allocated, 0, 0);
  sem_init(&first_has_ended, 0, 0);
  world_open_fixed("born=old,concurrent=off");
  ck_assert_int_eq(pthread_create(&thread, NULL, stay_attached, NULL), 0);
  spgc_call_blocking(wait_for, &first_has_allocated);
  struct spgc_statistics statistics = world_statistics();
  pid_t child = fork();
  if (child == 0)
    check_in_child(statistics.born_old_bytes, statistics.allocated_bytes);
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  sem_post(&first_has_ended);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  world_close();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("births");
  TCase *policy_case = tcase_create("policy"), *tcase = tcase_create("births");
  TCase *threads = tcase_create("threads");
  tcase_set_timeout(policy_case, 120);
  tcase_add_test(policy_case, objects_are_born_old_where_most_survive);
  tcase_add_test(policy_case, a_program_whose_objects_die_young_is_soon_collected_by_copying);
  tcase_add_test(policy_case, objects_are_not_born_old_where_most_die);
  suite_add_tcase(suite, policy_case);
  tcase_set_timeout(tcase, 120);
  tcase_add_test(tcase, they_are_counted);
  for (int mode = 0; mode < MODES; mode++) {
    TCase *kind = strstr(modes[mode], "threads=") != NULL ? threads : tcase;
    tcase_add_loop_test(kind, they_may_refer_to_young_objects_from_clean_cards, mode, mode + 1);
    tcase_add_loop_test(kind, they_live_and_die_like_others, mode, mode + 1);
    tcase_add_loop_test(kind, objects_of_all_sizes_are_born, mode, mode + 1);
  }
  tcase_add_loop_test(tcase, requests_that_fit_no_hole_are_met, 0, 2);
  tcase_add_test(tcase, objects_behind_a_hole_that_is_being_filled_are_objects);
  tcase_add_test(tcase, none_is_born_old_during_a_marking);
  tcase_add_test(tcase, births_alone_begin_a_cycle);
  suite_add_tcase(suite, tcase);
  tcase_set_timeout(threads, 120);
  tcase_add_test(threads, threads_leave_their_holes_to_others);
  tcase_add_test(threads, threads_that_end_in_any_order_leave_their_holes);
  tcase_add_test(threads, holes_of_other_threads_are_closed_in_a_child);
  suite_add_tcase(suite, threads);
  return suite_run(suite);
}
