#include <string.h>

#include "check_main.h"
#include "heap_world.h"

START_TEST(a_minor_collection_moves_the_young_and_leaves_the_old) {
  world_open_fixed("");
  struct spgc_handle old = world_new_leaf(1);
  spgc_collect(SPGC_COLLECTION_MINOR);
  uintptr_t address = spgc_handle_get(old).word;
  struct spgc_handle young = world_new_leaf(2);
  uintptr_t young_address = spgc_handle_get(young).word;
  ck_assert_uint_eq(world_collect_moved(SPGC_COLLECTION_MINOR), world_leaf.size);
  ck_assert_uint_eq(spgc_handle_get(old).word, address);
  ck_assert_uint_ne(spgc_handle_get(young).word, young_address);
  ck_assert_uint_eq(world_get_word(young, 1), 2);
  world_close();
}
END_TEST

START_TEST(an_old_object_keeps_a_young_one_alive_through_its_card) {
  world_open("verify=full");
  struct spgc_handle old = spgc_handle_make(spgc_allocate(&world_pair));
  spgc_collect(SPGC_COLLECTION_FULL);
  for (uint64_t round = 0; round < 5; round++) {
    struct spgc_scope scope = spgc_scope_open();
    world_set(old, 2 + round % 2, spgc_handle_get(world_new_leaf(round)));
    spgc_scope_close(scope);
    world_collect_moving(SPGC_COLLECTION_MINOR, world_leaf.size);
    const uint64_t *leaf = spgc_ref_memory(world_get(old, 2 + round % 2));
    ck_assert_ptr_eq((const void *)leaf[0], &world_leaf);
    ck_assert_uint_eq(leaf[1], round);
  }
  world_close();
}
END_TEST

START_TEST(every_card_of_an_old_block_finds_its_objects) {
  world_open("verify=full");
  enum { COUNT = 1000 };
  struct spgc_handle list = world_new_list(COUNT);
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_handle at = spgc_handle_make(spgc_handle_get(list));
  for (uint64_t i = 0; i < COUNT; i++) {
    struct spgc_scope scope = spgc_scope_open();
    if (i % 7 == 0)
      world_set(at, 3, spgc_handle_get(world_new_leaf(i)));
    spgc_scope_close(scope);
    spgc_handle_set(at, world_get(at, 2));
  }
  uint64_t leaves = (COUNT + 6) / 7;
  world_collect_moving(SPGC_COLLECTION_MINOR, leaves * world_leaf.size);
  spgc_handle_set(at, spgc_handle_get(list));
  for (uint64_t i = 0; i < COUNT; i++) {
    if (i % 7 == 0)
      ck_assert_uint_eq(((const uint64_t *)spgc_ref_memory(world_get(at, 3)))[1], i);
    spgc_handle_set(at, world_get(at, 2));
  }
  world_check_list(list, COUNT);
  world_close();
}
END_TEST

START_TEST(only_the_dirty_part_of_a_large_object_is_read) {
  world_open("verify=full");
  enum { LENGTH = 100000 };
  struct spgc_handle large = spgc_handle_make(spgc_allocate_array(&world_references, LENGTH));
  spgc_collect(SPGC_COLLECTION_MINOR);
  unsigned indices[] = {0, 62, 63, 64, 50000, LENGTH - 1};
  enum { STORES = sizeof indices / sizeof indices[0] };
  for (unsigned i = 0; i < STORES; i++) {
    struct spgc_scope scope = spgc_scope_open();
    world_set(large, 2 + indices[i], spgc_handle_get(world_new_leaf(indices[i])));
    spgc_scope_close(scope);
  }
  world_collect_moving(SPGC_COLLECTION_MINOR, STORES * world_leaf.size);
  for (unsigned i = 0; i < STORES; i++)
    ck_assert_uint_eq(((const uint64_t *)spgc_ref_memory(world_get(large, 2 + indices[i])))[1],
                      indices[i]);
  world_close();
}
END_TEST

START_TEST(cards_of_a_dead_young_large_object_keep_nothing_alive) {
  world_open_fixed("verify=full");
  enum { LENGTH = 100000 };
  struct spgc_handle old = spgc_handle_make(spgc_allocate_array(&world_references, LENGTH));
  spgc_collect(SPGC_COLLECTION_MINOR);
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle young = spgc_handle_make(spgc_allocate_array(&world_references, LENGTH));
  for (unsigned i = 0; i < LENGTH; i += LENGTH / 4)
    world_set(young, 2 + i, spgc_handle_get(world_new_leaf(i)));
  spgc_scope_close(scope);
  world_set(old, 2 + LENGTH - 1, spgc_handle_get(world_new_leaf(LENGTH)));
  ck_assert_uint_eq(world_collect_moved(SPGC_COLLECTION_MINOR), world_leaf.size);
  ck_assert_uint_eq(((const uint64_t *)spgc_ref_memory(world_get(old, 2 + LENGTH - 1)))[1], LENGTH);
  world_close();
}
END_TEST

START_TEST(records_are_found_on_the_cards_they_straddle) {
  world_open("verify=full");
  enum { LENGTH = 200 };
  struct spgc_handle records = spgc_handle_make(spgc_allocate_array(&world_records, LENGTH));
  spgc_collect(SPGC_COLLECTION_FULL);
  for (unsigned i = 0; i < LENGTH; i++) {
    struct spgc_scope scope = spgc_scope_open();
    world_set(records, 5 + 3 * i, spgc_handle_get(world_new_leaf(i)));
    spgc_scope_close(scope);
  }
  world_collect_moving(SPGC_COLLECTION_MINOR, LENGTH * world_leaf.size);
  for (unsigned i = 0; i < LENGTH; i++)
    ck_assert_uint_eq(((const uint64_t *)spgc_ref_memory(world_get(records, 5 + 3 * i)))[1], i);
  world_close();
}
END_TEST

START_TEST(a_missing_barrier_is_detected) {
  world_open("");
  struct spgc_handle old = spgc_handle_make(spgc_allocate(&world_pair));
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_handle young = world_new_leaf(1);
  world_set_word(old, 2, spgc_handle_get(young).word);
  struct spgc_error error;
  ck_assert_int_eq(spgc_heap_verify(&error), SPGC_ERROR_MALFORMED);
  ck_assert_ptr_nonnull(strstr(error.message, "barrier is missing"));
  world_set(old, 2, spgc_handle_get(young));
  world_close();
}
END_TEST

START_TEST(dead_old_objects_wait_for_a_full_collection) {
  world_open_fixed("");
  struct spgc_scope scope = spgc_scope_open();
  world_new_list(10000);
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_scope_close(scope);
  uint64_t before = world_statistics().heap_bytes;
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_eq(world_statistics().heap_bytes, before);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().heap_bytes, 0);
  world_close();
}
END_TEST

/* Mutators mark, because a thread's lag would depend on the machine's load. */
START_TEST(full_collections_happen_by_themselves_when_old_space_grows) {
  world_open_fixed(world_verifies() ? "nursery=256k,limit=16m,concurrent=off"
                                    : "nursery=256k,limit=256m,concurrent=off");
  for (uint64_t round = 0; round < world_amount(60, 20, 20); round++) {
    struct spgc_scope scope = spgc_scope_open();
    world_new_list(30000);
    spgc_scope_close(scope);
  }
  struct spgc_statistics statistics = world_statistics();
  ck_assert_uint_gt(world_old_collections(), 0);
  ck_assert_uint_gt(statistics.minor_collections, 4 * world_old_collections());
  ck_assert_uint_lt(statistics.peak_heap_bytes, 40 << 20);
  world_close();
}
END_TEST

START_TEST(statistics_count_what_happened) {
  world_open_fixed("");
  struct spgc_statistics before = world_statistics();
  ck_assert_uint_eq(before.allocated_bytes, 0);
  ck_assert_uint_eq(before.heap_bytes, 0);
  world_new_list(100);
  ck_assert_uint_eq(world_statistics().allocated_bytes, 100 * world_pair.size);
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_FULL);
  spgc_allocate_array(&world_bytes, 1 << 20);
  struct spgc_statistics after = world_statistics();
  ck_assert_uint_eq(after.minor_collections, 1);
  ck_assert_uint_eq(after.full_collections, 1);
  ck_assert_uint_eq(after.moved_objects, 100);
  ck_assert_uint_eq(after.moved_bytes, 100 * world_pair.size);
  ck_assert_uint_eq(after.live_bytes, 100 * world_pair.size);
  ck_assert_uint_eq(after.allocated_bytes, 100 * world_pair.size + (1 << 20) + 16);
  ck_assert_uint_gt(after.total_pause_ns, 0);
  ck_assert_uint_le(after.longest_pause_ns, after.total_pause_ns);
  ck_assert_uint_gt(after.longest_minor_pause_ns, 0);
  ck_assert_uint_le(after.longest_minor_pause_ns, after.longest_pause_ns);
  ck_assert_uint_eq(after.longest_final_mark_ns, 0);
  ck_assert_uint_ge(after.peak_heap_bytes, after.heap_bytes);
  ck_assert_uint_ge(after.heap_bytes, 1 << 20);
  world_close();
}
END_TEST

START_TEST(idle_memory_goes_back_to_the_system) {
  world_open_fixed("poison=off");
  struct spgc_scope scope = spgc_scope_open();
  uint64_t count = world_amount(4000000, 1000000, 1000000), most = count * world_pair.size / 6 * 5;
  world_new_list(count);
  spgc_collect(SPGC_COLLECTION_FULL);
  uint64_t held = world_resident_bytes();
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_lt(world_resident_bytes() + most, held + world_checker_bytes());
  world_close();
}
END_TEST

CHECK_MAIN("heap-generations", a_minor_collection_moves_the_young_and_leaves_the_old,
           an_old_object_keeps_a_young_one_alive_through_its_card,
           every_card_of_an_old_block_finds_its_objects,
           only_the_dirty_part_of_a_large_object_is_read,
           cards_of_a_dead_young_large_object_keep_nothing_alive,
           records_are_found_on_the_cards_they_straddle, a_missing_barrier_is_detected,
           dead_old_objects_wait_for_a_full_collection,
           full_collections_happen_by_themselves_when_old_space_grows,
           statistics_count_what_happened, idle_memory_goes_back_to_the_system)
