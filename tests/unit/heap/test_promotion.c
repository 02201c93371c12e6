/* Nurseries that are promoted in place, because all of their objects are expected to survive. */
#include "check_main.h"
#include "heap_world.h"
#include "support/random.h"

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

/* Arrays of several lengths, each with a leaf as its first element; leaves are replaced at random.
 */
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

CHECK_MAIN_WITHIN(60, "promotion", a_nursery_that_survives_becomes_old_where_it_is,
                  what_is_stored_in_such_nurseries_is_found)
