/* Speculative evacuation: minor collections that promote the nursery in place when copying takes
 * too long. */
#include <stdio.h>

#include "heap_world.h"
#include "tests/support/suite.h"

enum { NUMBER = 1, FIRST = 2, SECOND = 3, ELEMENTS = 2 };

static void open_with(void *base, const char *options, unsigned pause) {
  char text[160];
  snprintf(text, sizeof text, "limit=256m,%s,pause=%u", options, pause);
  world_open_fixed_at(base, text);
}

enum { IN_TIME = 60000000, AT_ONCE = 1 };

START_TEST(what_is_copied_in_time_moves) {
  open_with(__builtin_frame_address(0), "nursery=1m", IN_TIME);
  struct spgc_handle list = world_new_list(200000);
  struct spgc_statistics statistics = world_statistics();
  ck_assert_uint_ge(statistics.minor_collections, 5);
  ck_assert_uint_gt(statistics.moved_objects, 0);
  ck_assert_uint_eq(statistics.aborted_minor_collections, 0);
  world_check_list(list, 200000);
  world_close();
}
END_TEST

START_TEST(what_takes_too_long_stays) {
  open_with(__builtin_frame_address(0), "nursery=1m", AT_ONCE);
  struct spgc_handle first = world_new_leaf(17);
  uintptr_t address = spgc_handle_get(first).word;
  struct spgc_handle list = world_new_list(200000);
  struct spgc_statistics statistics = world_statistics();
  ck_assert_uint_ge(statistics.minor_collections, 5);
  ck_assert_uint_gt(statistics.aborted_minor_collections, 0);
  ck_assert_uint_eq(statistics.moved_objects, 0);
  ck_assert_uint_eq(spgc_handle_get(first).word, address);
  world_check_list(list, 200000);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_get_word(first, NUMBER), 17);
  world_check_list(list, 200000);
  world_close();
}
END_TEST

/* Holds whatever was copied, and wherever the time ran out. */
static const unsigned pauses[] = {20, 40, 80, 160, 320, 640, 1280};

START_TEST(copies_made_in_vain_are_garbage) {
  enum { LENGTH = 100000 };
  open_with(__builtin_frame_address(0), "nursery=2m,verify=full,concurrent=off", pauses[_i]);
  for (uint64_t list = 0; list < world_amount(8, 3, 3); list++) {
    struct spgc_scope scope = spgc_scope_open();
    world_check_list(world_new_list(LENGTH), LENGTH);
    spgc_scope_close(scope);
  }
  ck_assert_uint_gt(world_statistics().heap_bytes, (uint64_t)LENGTH * world_pair.size);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_lt(world_statistics().heap_bytes, 1 << 20);
  world_close();
}
END_TEST

/* An array that only a young object refers to, with a young object that only the array refers to;
 * and old objects that refer to both. */
static void check_group(struct spgc_handle groups, unsigned place, uint64_t number) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle group = spgc_handle_make(world_get(groups, ELEMENTS + place));
  struct spgc_handle array = spgc_handle_make(world_get(group, FIRST));
  struct spgc_handle leaf =
      spgc_handle_make(world_get(array, ELEMENTS + (unsigned)(number % 2000)));
  ck_assert_uint_eq(world_get_word(group, NUMBER), number);
  ck_assert_uint_eq(world_get_word(leaf, NUMBER), number);
  ck_assert(spgc_ref_equal(world_get(group, SECOND), spgc_handle_get(leaf)));
  spgc_scope_close(scope);
}

static void put_group(struct spgc_handle groups, unsigned place, uint64_t number) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle group = spgc_handle_make(spgc_allocate(&world_pair));
  world_set_word(group, NUMBER, number);
  world_set(group, FIRST, spgc_allocate_array(&world_references, 2000));
  struct spgc_handle leaf = world_new_leaf(number),
                     array = spgc_handle_make(world_get(group, FIRST));
  world_set(array, ELEMENTS + (unsigned)(number % 2000), spgc_handle_get(leaf));
  world_set(group, SECOND, spgc_handle_get(leaf));
  world_set(groups, ELEMENTS + place, spgc_handle_get(group));
  spgc_scope_close(scope);
}

static const char *const concurrency[] = {"concurrent=off", "concurrent=on"};
static const unsigned some_pauses[] = {AT_ONCE, 50, 200, IN_TIME};

START_TEST(large_objects_and_old_ones_keep_what_they_refer_to) {
  enum { ROUNDS = 20 };
  unsigned places = (unsigned)world_amount(400, 100, 100);
  char options[64];
  snprintf(options, sizeof options, "nursery=1m,limit=%um,%s", world_verifies() ? 12 : 256,
           concurrency[_i % 2]);
  open_with(__builtin_frame_address(0), options, some_pauses[_i / 2]);
  struct spgc_handle groups = spgc_handle_make(spgc_allocate_array(&world_references, places));
  for (unsigned i = 0; i < places * ROUNDS; i++) {
    put_group(groups, i % places, i);
    if (i >= places - 1)
      check_group(groups, (i + 1) % places, i + 1 - places);
  }
  world_verify();
  for (unsigned i = places * (ROUNDS - 1); i < places * ROUNDS; i++)
    check_group(groups, i % places, i);
  ck_assert_uint_gt(world_old_collections(), 0);
  world_close();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("heap-speculation");
  TCase *tcase = tcase_create("heap-speculation");
  tcase_set_timeout(tcase, 120);
  tcase_add_test(tcase, what_is_copied_in_time_moves);
  tcase_add_test(tcase, what_takes_too_long_stays);
  tcase_add_loop_test(tcase, copies_made_in_vain_are_garbage, 0, sizeof pauses / sizeof pauses[0]);
  tcase_add_loop_test(tcase, large_objects_and_old_ones_keep_what_they_refer_to, 0,
                      2 * sizeof some_pauses / sizeof some_pauses[0]);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
