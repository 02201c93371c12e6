#include "check_main.h"
#include "heap_world.h"
#include "spgc/roots.h"
#include "spgc/weak.h"

enum { WORDS = 8 };

static struct spgc_ref words[WORDS];
static struct spgc_roots roots = {.first = words, .name = "stack"};

static uint64_t number_at(int i) {
  return ((const uint64_t *)spgc_ref_memory(words[i]))[1];
}

static void push_leaves(void) {
  for (int i = 0; i < WORDS; i++) {
    struct spgc_scope scope = spgc_scope_open();
    words[i] = spgc_handle_get(world_new_leaf((uint64_t)i));
    roots.count = (uint64_t)i + 1;
    spgc_scope_close(scope);
  }
}

START_TEST(what_a_range_counts_lives_and_follows) {
  world_open("verify=full,poison=on");
  spgc_roots_add(&roots);
  push_leaves();
  for (int round = 0; round < 4; round++) {
    spgc_collect(round % 2 == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
    for (int i = 0; i < WORDS; i++)
      ck_assert_uint_eq(number_at(i), (uint64_t)i);
  }
  roots.count = 0;
  spgc_roots_remove(&roots);
  world_close();
}
END_TEST

START_TEST(what_lies_behind_the_count_is_not_read) {
  world_open("verify=full,poison=on");
  spgc_roots_add(&roots);
  push_leaves();
  struct spgc_handle counted = world_new_holder(spgc_handle_make(words[1]));
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle behind = world_new_holder(spgc_handle_make(words[2])),
                     kept = spgc_global_handle_make(spgc_handle_get(behind));
  spgc_scope_close(scope);
  roots.count = 2;
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert(spgc_ref_equal(world_weak_referent(counted), words[1]));
  ck_assert(spgc_ref_is_null(world_weak_referent(kept)));
  spgc_global_handle_release(kept);
  roots.count = 0;
  spgc_roots_remove(&roots);
  world_close();
}
END_TEST

/* A stack that grows moves to other memory. */
START_TEST(a_range_may_move) {
  static struct spgc_ref larger[2 * WORDS];
  world_open("verify=full,poison=on");
  spgc_roots_add(&roots);
  push_leaves();
  for (int i = 0; i < WORDS; i++)
    larger[i] = words[i];
  for (int i = 0; i < WORDS; i++)
    words[i] = spgc_ref_from_word(1);
  roots.first = larger;
  spgc_collect(SPGC_COLLECTION_FULL);
  for (int i = 0; i < WORDS; i++)
    ck_assert_uint_eq(((const uint64_t *)spgc_ref_memory(larger[i]))[1], (uint64_t)i);
  spgc_roots_remove(&roots);
  roots.first = words;
  roots.count = 0;
  world_close();
}
END_TEST

START_TEST(a_range_is_removed_and_outlives_the_heap) {
  spgc_roots_add(&roots); /* before the heap is started */
  world_open("verify=full,poison=on");
  push_leaves();
  world_close();
  for (int i = 0; i < WORDS; i++)
    ck_assert(spgc_ref_is_null(words[i]));
  spgc_roots_remove(&roots);
  spgc_roots_remove(&roots);
  world_open("verify=full,poison=on");
  words[0] = spgc_ref_from_word(UINT64_C(1) << 20);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(words[0].word, UINT64_C(1) << 20);
  roots.count = 0;
  world_close();
}
END_TEST

START_TEST(ranges_are_removed_in_any_order) {
  struct spgc_ref others[3] = {{0}, {0}, {0}};
  struct spgc_roots ranges[3] = {
      {.first = &others[0]}, {.first = &others[1]}, {.first = others + 2}};
  world_open("verify=full,poison=on");
  for (int i = 0; i < 3; i++) {
    struct spgc_scope scope = spgc_scope_open();
    others[i] = spgc_handle_get(world_new_leaf((uint64_t)i));
    spgc_scope_close(scope);
    ranges[i].count = 1;
    spgc_roots_add(&ranges[i]);
  }
  spgc_roots_remove(&ranges[1]);
  spgc_roots_remove(&ranges[2]);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, world_leaf.size);
  ck_assert_uint_eq(((const uint64_t *)spgc_ref_memory(others[0]))[1], 0);
  spgc_roots_remove(&ranges[0]);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, 0);
  world_close();
}
END_TEST

CHECK_MAIN("heap-roots", what_a_range_counts_lives_and_follows,
           what_lies_behind_the_count_is_not_read, a_range_may_move,
           a_range_is_removed_and_outlives_the_heap, ranges_are_removed_in_any_order)
