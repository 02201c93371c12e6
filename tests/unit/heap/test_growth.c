#include <stdio.h>

#include "check_main.h"
#include "heap_world.h"

enum {
  LISTS = 64,
  LIST_BYTES = 1 << 20,
  LIVE_BYTES = LISTS * LIST_BYTES,
  REPLACED = 5 * LISTS,
};

struct run {
  uint64_t collections, peak_bytes;
};

/* With a fixed nursery, nothing depends on a clock. Verification would take seconds. */
static struct run run_with(const char *options) {
  char settings[80];
  snprintf(settings, sizeof settings, "%s,nursery=1m,verify=none", options);
  world_open_fixed(settings);
  struct spgc_handle lists = spgc_handle_make(spgc_allocate_array(&world_references, LISTS));
  uint64_t count = LIST_BYTES / world_pair.size;
  for (unsigned i = 0; i < LISTS + REPLACED; i++) {
    struct spgc_scope scope = spgc_scope_open();
    world_set(lists, 2 + i % LISTS, spgc_handle_get(world_new_list(count)));
    spgc_scope_close(scope);
  }
  struct spgc_statistics statistics = world_statistics();
  world_close();
  return (struct run){statistics.final_marks + statistics.full_collections,
                      statistics.peak_heap_bytes};
}

START_TEST(the_old_space_grows_in_proportion_to_what_lives) {
  struct run little = run_with("limit=4g,concurrent=off,growth=50");
  struct run chosen = run_with("limit=4g,concurrent=off,growth=100");
  struct run much = run_with("limit=4g,concurrent=off,growth=200");
  ck_assert_uint_gt(little.collections, chosen.collections);
  ck_assert_uint_gt(chosen.collections, much.collections);
  ck_assert_uint_gt(much.collections, 0);
  ck_assert_uint_lt(little.peak_bytes, chosen.peak_bytes);
  ck_assert_uint_lt(chosen.peak_bytes, much.peak_bytes);
  ck_assert_uint_gt(much.peak_bytes, UINT64_C(5) * LIVE_BYTES / 2);
}
END_TEST

START_TEST(growth_ends_at_the_limit) {
  struct run proportional = run_with("limit=256m,concurrent=off,growth=10000");
  ck_assert_uint_gt(proportional.collections, 1);
  ck_assert_uint_le(proportional.peak_bytes, 256 << 20);
}
END_TEST

START_TEST(a_heap_of_fixed_size_is_used_before_it_is_collected) {
  ck_assert_uint_eq(run_with("limit=4g,concurrent=off,growth=limit").collections, 0);
  struct run fixed = run_with("limit=384m,concurrent=off,growth=limit"),
             chosen = run_with("limit=384m,concurrent=off,growth=100");
  ck_assert_uint_gt(fixed.collections, 0);
  ck_assert_uint_lt(fixed.collections, chosen.collections);
  ck_assert_uint_gt(fixed.peak_bytes, chosen.peak_bytes);
  ck_assert_uint_le(fixed.peak_bytes, 384 << 20);
}
END_TEST

CHECK_MAIN_WITHIN(60, "heap-growth", the_old_space_grows_in_proportion_to_what_lives,
                  growth_ends_at_the_limit, a_heap_of_fixed_size_is_used_before_it_is_collected)
