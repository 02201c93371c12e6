/* Evacuated with 1 to 4 threads, and compared with the original. */
#include <stdio.h>
#include <stdlib.h>

#include "heap_world.h"
#include "tests/support/suite.h"
#include "worker_count.h"

static const unsigned thread_counts[] = {1, 2, 3, 4};

static void open_with_threads(void *base, int index) {
  char options[80];
  snprintf(options, sizeof options, "limit=512m,nursery=64m,threads=%u", thread_counts[index]);
  world_open_fixed_at(base, options);
}

static struct spgc_handle new_wide_array(uint64_t length) {
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, length));
  for (unsigned i = 0; i < length; i++) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    uint64_t *words = spgc_ref_memory(pair);
    words[1] = i;
    words[2] = i == 0 ? 0 : world_get(array, 2 + i / 2).word;
    words[3] = spgc_handle_get(array).word;
    world_set(array, 2 + i, pair);
  }
  return array;
}

static void check_wide_array(struct spgc_handle array, uint64_t length) {
  for (unsigned i = 0; i < length; i++) {
    const uint64_t *words = spgc_ref_memory(world_get(array, 2 + i));
    if (words[1] != i || words[3] != spgc_handle_get(array).word ||
        words[2] != (i == 0 ? 0 : world_get(array, 2 + i / 2).word))
      ck_abort_msg("element %u of the array is not what it was", i);
  }
}

START_TEST(a_wide_array_of_shared_objects_moves) {
  enum { LENGTH = 100000 };
  open_with_threads(__builtin_frame_address(0), _i);
  struct spgc_handle array = new_wide_array(LENGTH);
  uint64_t moved = world_collect_moved(SPGC_COLLECTION_MINOR);
  ck_assert_uint_eq(moved, LENGTH * (uint64_t)world_pair.size);
  ck_assert_uint_eq(worker_count(), thread_counts[_i] - 1);
  check_wide_array(array, LENGTH);
  for (unsigned i = 0; i < LENGTH;
       i++) /* old objects that refer to young ones, on cards all over */
    if (i % 3 == 0) {
      struct spgc_ref leaf = spgc_allocate(&world_leaf);
      ((uint64_t *)spgc_ref_memory(leaf))[1] = i;
      spgc_store(spgc_slot_at((uint64_t *)spgc_ref_memory(world_get(array, 2 + i)) + 2), leaf);
    }
  for (int round = 0; round < 3; round++) {
    spgc_collect(round == 1 ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
    world_verify();
    for (unsigned i = 0; i < LENGTH; i += 3) {
      const uint64_t *pair = spgc_ref_memory(world_get(array, 2 + i));
      const uint64_t *leaf = spgc_ref_memory(spgc_ref_from_word(pair[2]));
      if (leaf[0] != (uint64_t)&world_leaf || leaf[1] != i)
        ck_abort_msg("what element %u refers to is not what it was", i);
    }
  }
  world_close();
}
END_TEST

START_TEST(a_deep_list_moves) {
  enum { LENGTH = 250000 };
  open_with_threads(__builtin_frame_address(0), _i);
  struct spgc_handle list = world_new_list(LENGTH);
  uint64_t moved = world_collect_moved(SPGC_COLLECTION_MINOR);
  ck_assert_uint_eq(moved, LENGTH * (uint64_t)world_pair.size);
  world_check_list(list, LENGTH);
  spgc_collect(SPGC_COLLECTION_FULL);
  world_check_list(list, LENGTH);
  world_close();
}
END_TEST

START_TEST(sparse_blocks_are_vacated) {
  enum { LENGTH = 100000, KEPT = 8 };
  open_with_threads(__builtin_frame_address(0), _i);
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, LENGTH));
  for (unsigned i = 0; i < LENGTH; i++) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    ((uint64_t *)spgc_ref_memory(pair))[1] = i;
    world_set(array, 2 + i, pair);
  }
  spgc_collect(SPGC_COLLECTION_FULL);
  for (unsigned i = 0; i < LENGTH; i++)
    if (i % KEPT != 0)
      world_set(array, 2 + i, spgc_ref_null());
  uint64_t moved = world_collect_moved(SPGC_COLLECTION_FULL);
  ck_assert_uint_ge(moved, LENGTH / KEPT / 2 * (uint64_t)world_pair.size);
  for (unsigned i = 0; i < LENGTH; i += KEPT)
    if (((uint64_t *)spgc_ref_memory(world_get(array, 2 + i)))[1] != i)
      ck_abort_msg("element %u is not what it was", i);
  world_close();
}
END_TEST

START_TEST(large_objects_and_shared_leaves_are_claimed_once) {
  enum { ARRAYS = 64, LENGTH = 20000, LEAVES = 16 };
  open_with_threads(__builtin_frame_address(0), _i);
  struct spgc_handle all = spgc_handle_make(spgc_allocate_array(&world_references, ARRAYS));
  struct spgc_handle leaves[LEAVES];
  for (unsigned i = 0; i < LEAVES; i++)
    leaves[i] = world_new_leaf(i);
  for (unsigned a = 0; a < ARRAYS; a++) {
    world_set(all, 2 + a, spgc_allocate_array(&world_references, LENGTH));
    struct spgc_ref *words = spgc_ref_memory(world_get(all, 2 + a));
    for (unsigned i = 0; i < LENGTH; i++)
      spgc_store(spgc_slot_at(&words[2 + i]), spgc_handle_get(leaves[(i + a) % LEAVES]));
    spgc_store(spgc_slot_at(&words[2 + a]), world_get(all, 2 + (a * 7) % (a + 1)));
  }
  ck_assert_uint_eq(world_collect_moved(SPGC_COLLECTION_MINOR), LEAVES * (uint64_t)world_leaf.size +
                                                                    world_references.size +
                                                                    ARRAYS * UINT64_C(8));
  world_verify();
  for (unsigned a = 0; a < ARRAYS; a++) {
    const uint64_t *words = spgc_ref_memory(world_get(all, 2 + a));
    for (unsigned i = 0; i < LENGTH; i++)
      if (words[2 + i] != (i == a ? world_get(all, 2 + (a * 7) % (a + 1))
                                  : spgc_handle_get(leaves[(i + a) % LEAVES]))
                              .word)
        ck_abort_msg("element %u of array %u is not what it was", i, a);
  }
  world_close();
}
END_TEST

/* All roots are forwarded before anything is scanned. */
START_TEST(more_roots_than_a_work_stack_holds_are_scanned) {
  enum { COUNT = 1100000 };
  open_with_threads(__builtin_frame_address(0), _i);
  struct spgc_handle *pairs = malloc(COUNT * sizeof *pairs);
  ck_assert_ptr_nonnull(pairs);
  for (unsigned i = 0; i < COUNT; i++) {
    pairs[i] = spgc_handle_make(spgc_allocate(&world_pair));
    struct spgc_ref leaf = spgc_allocate(&world_leaf);
    ((uint64_t *)spgc_ref_memory(leaf))[1] = i;
    world_set(pairs[i], 2, leaf);
  }
  ck_assert_uint_eq(world_collect_moved(SPGC_COLLECTION_MINOR),
                    COUNT * (uint64_t)(world_pair.size + world_leaf.size));
  world_verify();
  for (unsigned i = 0; i < COUNT; i++)
    if (((const uint64_t *)spgc_ref_memory(world_get(pairs[i], 2)))[1] != i)
      ck_abort_msg("what root %u refers to is not what it was", i);
  free(pairs);
  world_close();
}
END_TEST

START_TEST(a_small_collection_wakes_nobody) {
  open_with_threads(__builtin_frame_address(0), _i);
  struct spgc_handle array = new_wide_array(1000);
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_FULL);
  check_wide_array(array, 1000);
  ck_assert_uint_eq(worker_count(), 0);
  world_close();
}
END_TEST

static Suite *suite(void) {
  Suite *suite = suite_create("shapes");
  TCase *tests = tcase_create("shapes");
  tcase_set_timeout(tests, 120);
  enum { COUNTS = sizeof thread_counts / sizeof thread_counts[0] };
  tcase_add_loop_test(tests, a_wide_array_of_shared_objects_moves, 0, COUNTS);
  tcase_add_loop_test(tests, a_deep_list_moves, 0, COUNTS);
  tcase_add_loop_test(tests, sparse_blocks_are_vacated, 0, COUNTS);
  tcase_add_loop_test(tests, large_objects_and_shared_leaves_are_claimed_once, 0, COUNTS);
  tcase_add_loop_test(tests, more_roots_than_a_work_stack_holds_are_scanned, 0, COUNTS);
  tcase_add_loop_test(tests, a_small_collection_wakes_nobody, 0, COUNTS);
  suite_add_tcase(suite, tests);
  return suite;
}

int main(void) {
  return suite_run(suite());
}
