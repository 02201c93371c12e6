#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "heap_world.h"
#include "spgc/generated.h"

enum { ALLOCATIONS = 200 };

static uint64_t collections(void) {
  return world_statistics().collections;
}

/* collected[i] says whether allocation i collected. Returns their number. */
static uint64_t record(const char *options, bool collected[ALLOCATIONS]) {
  uint64_t count = 0;
  world_open_fixed(options);
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  for (unsigned i = 0; i < ALLOCATIONS; i++) {
    uint64_t before = collections();
    struct spgc_ref pair = spgc_allocate(&world_pair);
    ((uint64_t *)spgc_ref_memory(pair))[2] = spgc_handle_get(list).word;
    spgc_handle_set(list, pair);
    uint64_t passed = collections() - before;
    ck_assert_uint_le(passed, 1);
    collected[i] = passed == 1;
    count += passed;
    spgc_poll_slow();
    ck_assert_uint_eq(collections(), before + passed);
  }
  ck_assert_uint_ge(world_statistics().moved_objects, count > 1 ? 1 : 0);
  world_close();
  return count;
}

static const unsigned intervals[] = {1, 2, 7, 64, ALLOCATIONS, ALLOCATIONS + 1};

START_TEST(every_nth_allocation_collects_and_no_other) {
  char options[64];
  bool collected[ALLOCATIONS];
  unsigned interval = intervals[_i];
  snprintf(options, sizeof options, "stress=every-%u", interval);
  for (unsigned run = 0; run < 2; run++) { /* a heap that is started again counts from the start */
    ck_assert_uint_eq(record(options, collected), ALLOCATIONS / interval);
    for (unsigned i = 0; i < ALLOCATIONS; i++)
      ck_assert_int_eq(collected[i], (i + 1) % interval == 0);
  }
}
END_TEST

START_TEST(a_seed_decides_which_allocations_collect) {
  bool first[ALLOCATIONS], again[ALLOCATIONS], moved[ALLOCATIONS], other[ALLOCATIONS];
  uint64_t count = record("stress=random:0.25,seed=5", first);
  ck_assert_uint_gt(count, ALLOCATIONS / 8);
  ck_assert_uint_lt(count, ALLOCATIONS / 2);
  ck_assert_uint_eq(record("stress=random:0.25,seed=5", again), count);
  ck_assert_int_eq(memcmp(first, again, sizeof first), 0);
  ck_assert_uint_eq(record("stress=random:0.25,seed=5,move=always,poison=on", moved), count);
  ck_assert_int_eq(memcmp(first, moved, sizeof first), 0);
  record("stress=random:0.25,seed=6", other);
  ck_assert_int_ne(memcmp(first, other, sizeof first), 0);
}
END_TEST

START_TEST(a_rarer_chance_collects_at_some_of_the_same_allocations) {
  bool rare[ALLOCATIONS], frequent[ALLOCATIONS];
  ck_assert_uint_lt(record("stress=random:0.05,seed=9", rare),
                    record("stress=random:0.5,seed=9", frequent));
  for (unsigned i = 0; i < ALLOCATIONS; i++)
    ck_assert(!rare[i] || frequent[i]);
  ck_assert_uint_eq(record("stress=random:1,seed=9", frequent), ALLOCATIONS);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("heap-stress");
  TCase *tcase = tcase_create("stress");
  tcase_set_timeout(tcase, 60);
  tcase_add_loop_test(tcase, every_nth_allocation_collects_and_no_other, 0,
                      sizeof intervals / sizeof *intervals);
  tcase_add_test(tcase, a_seed_decides_which_allocations_collect);
  tcase_add_test(tcase, a_rarer_chance_collects_at_some_of_the_same_allocations);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
