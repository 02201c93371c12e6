#include "heap_world.h"
#include "spgc/pin.h"
#include "support/random.h"
#include "tests/support/suite.h"

START_TEST(a_nursery_that_survives_becomes_old_where_it_is) {
  world_open_fixed("nursery=1m,limit=256m,verify=full");
  enum { COUNT = 200000 };
  struct spgc_handle list = world_new_list(COUNT);
  struct spgc_statistics statistics = world_statistics();
  ck_assert_uint_ge(statistics.minor_collections, COUNT * (uint64_t)world_pair.size >> 21);
  ck_assert_uint_le(statistics.moved_bytes, COUNT * (uint64_t)world_pair.size / 2);
  world_check_list(list, COUNT);
  world_close();
}
END_TEST

/* An array of some length, whose first element is a leaf. */
static struct spgc_handle new_member(uint64_t number) {
  enum { LENGTHS = 23 };
  struct spgc_handle leaf = world_new_leaf(number);
  struct spgc_handle member =
      spgc_handle_make(spgc_allocate_array(&world_references, 1 + number % LENGTHS));
  world_set(member, 2, spgc_handle_get(leaf));
  return member;
}

START_TEST(what_is_stored_in_such_nurseries_is_found) {
  world_open_fixed("nursery=1m,limit=256m,verify=full");
  enum { COUNT = 200000 };
  struct spgc_random random = {9};
  struct spgc_handle members = spgc_handle_make(spgc_allocate_array(&world_references, COUNT));
  for (unsigned i = 0; i < COUNT; i++) {
    struct spgc_scope scope = spgc_scope_open();
    world_set(members, 2 + i, spgc_handle_get(new_member(i)));
    unsigned changed = (unsigned)(spgc_random_next(&random) % (i + 1));
    struct spgc_handle leaf = world_new_leaf(COUNT + changed);
    world_set(spgc_handle_make(world_get(members, 2 + changed)), 2, spgc_handle_get(leaf));
    spgc_scope_close(scope);
  }
  for (unsigned i = 0; i < COUNT; i++) {
    const uint64_t *member = spgc_ref_memory(world_get(members, 2 + i));
    ck_assert_uint_eq(((const uint64_t *)member[2])[1] % COUNT, i);
  }
  struct spgc_statistics statistics = world_statistics();
  ck_assert_uint_ge(statistics.minor_collections, 8);
  ck_assert_uint_gt(statistics.moved_objects, 0);
  ck_assert_uint_le(statistics.moved_bytes, statistics.allocated_bytes / 2);
  world_close();
}
END_TEST

static const char *const ways[] = {"", "move=always,verify=full",
                                   "move=always,threads=3,verify=full"};
enum { WAYS = sizeof ways / sizeof *ways };

static uint64_t collect_promoted(enum spgc_collection kind) {
  uint64_t before = world_statistics().promoted_bytes;
  spgc_collect(kind);
  return world_statistics().promoted_bytes - before;
}

enum { LENGTH = 5000, LARGE = 100000, LIST_BYTES = LENGTH * 32 };

static uint64_t large_bytes(void) {
  return 2 * sizeof(uint64_t) + LARGE;
}

static uint64_t bytes_in_words(uint64_t bytes) {
  return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

START_TEST(what_became_old_is_counted_once) {
  world_open_fixed(ways[_i]);
  struct spgc_handle list = world_new_list(LENGTH);
  struct spgc_handle large = spgc_handle_make(spgc_allocate_array(&world_bytes, LARGE));
  uint64_t promoted = collect_promoted(SPGC_COLLECTION_MINOR);
  ck_assert_uint_eq(promoted, LIST_BYTES + bytes_in_words(large_bytes()));
  for (int kind = SPGC_COLLECTION_MINOR; kind <= SPGC_COLLECTION_FULL; kind++)
    ck_assert_uint_eq(collect_promoted((enum spgc_collection)kind), 0);
  struct spgc_handle second = world_new_list(LENGTH);
  ck_assert_uint_eq(collect_promoted(SPGC_COLLECTION_FULL), LIST_BYTES);
  ck_assert_uint_eq(collect_promoted(SPGC_COLLECTION_FULL), 0);
  spgc_handle_set(large, spgc_allocate_array(&world_bytes, LARGE));
  ck_assert_uint_eq(collect_promoted(SPGC_COLLECTION_FULL), bytes_in_words(large_bytes()));
  world_check_list(list, LENGTH);
  world_check_list(second, LENGTH);
  world_close();
}
END_TEST

START_TEST(what_died_was_not_promoted) {
  world_open_fixed("move=always,verify=full");
  struct spgc_handle list = world_new_list(LENGTH);
  struct spgc_scope scope = spgc_scope_open();
  world_new_list(LENGTH);
  spgc_allocate_array(&world_bytes, LARGE);
  spgc_scope_close(scope);
  ck_assert_uint_eq(collect_promoted(SPGC_COLLECTION_FULL), LIST_BYTES);
  ck_assert_uint_ge(world_statistics().moved_objects, LENGTH);
  world_check_list(list, LENGTH);
  world_close();
}
END_TEST

START_TEST(pinned_objects_are_promoted_once) {
  world_open_fixed(ways[_i]);
  struct spgc_handle leaf = world_new_leaf(1);
  ck_assert_int_eq(spgc_pin(spgc_handle_get(leaf), NULL), SPGC_OK);
  ck_assert_uint_eq(collect_promoted(SPGC_COLLECTION_FULL), world_leaf.size);
  uint64_t live = world_statistics().live_bytes;
  ck_assert_uint_ge(live, world_leaf.size);
  ck_assert_uint_eq(collect_promoted(SPGC_COLLECTION_FULL), 0);
  ck_assert_uint_eq(world_statistics().live_bytes, live);
  spgc_unpin(spgc_handle_get(leaf));
  ck_assert_uint_eq(collect_promoted(SPGC_COLLECTION_FULL), 0);
  ck_assert_uint_eq(world_get_word(leaf, 1), 1);
  world_close();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("promotion");
  TCase *tcase = tcase_create("promotion");
  tcase_set_timeout(tcase, 60);
  tcase_add_test(tcase, a_nursery_that_survives_becomes_old_where_it_is);
  tcase_add_test(tcase, what_is_stored_in_such_nurseries_is_found);
  tcase_add_loop_test(tcase, what_became_old_is_counted_once, 0, WAYS);
  tcase_add_test(tcase, what_died_was_not_promoted);
  tcase_add_loop_test(tcase, pinned_objects_are_promoted_once, 0, WAYS);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
