#include <string.h>

#include "check_main.h"
#include "heap_world.h"

static void collect_both_ways(void) {
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_FULL);
  spgc_collect(SPGC_COLLECTION_MINOR);
}

static uint64_t number_of(struct spgc_ref leaf) {
  ck_assert(spgc_is_heap_reference(leaf));
  const uint64_t *words = spgc_ref_memory(leaf);
  ck_assert_ptr_eq((const void *)words[0], &world_leaf);
  return words[1];
}

START_TEST(fixed_references_are_followed) {
  world_open("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  world_set_word(pair, 1, 77);
  world_set(pair, 2, spgc_handle_get(world_new_leaf(1)));
  world_set(pair, 3, spgc_handle_get(world_new_leaf(2)));
  uintptr_t before = spgc_handle_get(pair).word;
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_ne(spgc_handle_get(pair).word, before);
  collect_both_ways();
  ck_assert_uint_eq(world_get_word(pair, 1), 77);
  ck_assert_uint_eq(number_of(world_get(pair, 2)), 1);
  ck_assert_uint_eq(number_of(world_get(pair, 3)), 2);
  ck_assert_uint_gt(world_statistics().moved_objects, 0);
  world_close();
}
END_TEST

START_TEST(new_objects_are_zeroed_where_others_died) {
  static const unsigned char zeroes[1000];
  world_open("nursery=32k");
  for (int round = 0; round < 3000; round++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle bytes = spgc_handle_make(spgc_allocate_array(&world_bytes, 1000));
    ck_assert_mem_eq(world_field(bytes, 2), zeroes, sizeof zeroes);
    memset(world_field(bytes, 2), 0xff, 1000);
    spgc_scope_close(scope);
  }
  world_close();
}
END_TEST

START_TEST(tails_of_references_are_followed) {
  world_open("");
  enum { LENGTH = 300 };
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, LENGTH));
  ck_assert_uint_eq(world_get_word(array, 1), LENGTH);
  for (unsigned i = 0; i < LENGTH; i++) {
    struct spgc_scope scope = spgc_scope_open();
    world_set(array, 2 + i, spgc_handle_get(world_new_leaf(i)));
    spgc_scope_close(scope);
  }
  collect_both_ways();
  for (unsigned i = 0; i < LENGTH; i++)
    ck_assert_uint_eq(number_of(world_get(array, 2 + i)), i);
  world_close();
}
END_TEST

START_TEST(bytes_are_copied_and_never_read_as_references) {
  world_open("");
  struct spgc_handle leaf = world_new_leaf(5);
  uint64_t address = spgc_handle_get(leaf).word;
  struct spgc_handle bytes = spgc_handle_make(spgc_allocate_array(&world_bytes, 21));
  ck_assert_uint_eq(spgc_object_size(spgc_handle_get(bytes)), 40);
  address = spgc_handle_get(leaf).word;
  world_set_word(bytes, 2, address);
  memcpy((char *)world_field(bytes, 2) + 8, "thirteen byte", 13);
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_ne(spgc_handle_get(leaf).word, address);
  collect_both_ways();
  ck_assert_uint_eq(world_get_word(bytes, 2), address);
  ck_assert_mem_eq((char *)world_field(bytes, 2) + 8, "thirteen byte", 13);
  world_close();
}
END_TEST

START_TEST(values_hold_references_doubles_and_immediates) {
  world_open("");
  struct spgc_handle values = spgc_handle_make(spgc_allocate(&world_values));
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_value_array, 4));
  double pi = 3.14159;
  uint64_t pi_word;
  memcpy(&pi_word, &pi, sizeof pi_word);
  world_set(values, 1, spgc_handle_get(world_new_leaf(6)));
  world_set_word(values, 2, pi_word);
  world_set(array, 2, spgc_handle_get(values));
  world_set_word(array, 3, UINT64_C(0x7ffc000000000003));
  world_set(array, 4, spgc_handle_get(world_new_leaf(7)));
  world_set_word(array, 5, 2 * 21 + 1);
  world_set_word(array, 6, (uint64_t)&world_leaf);
  collect_both_ways();
  ck_assert_uint_eq(number_of(world_get(values, 1)), 6);
  ck_assert_uint_eq(world_get_word(values, 2), pi_word);
  ck_assert_uint_eq(world_get_word(array, 2), spgc_handle_get(values).word);
  ck_assert_uint_eq(world_get_word(array, 3), UINT64_C(0x7ffc000000000003));
  ck_assert_uint_eq(number_of(world_get(array, 4)), 7);
  ck_assert_uint_eq(world_get_word(array, 5), 43);
  ck_assert_uint_eq(world_get_word(array, 6), (uint64_t)&world_leaf);
  world_close();
}
END_TEST

static uint64_t tagged(uint64_t address, uint64_t i) {
  enum { TAGS = 7 };
  return address | (1 + i % TAGS);
}

static void fill_with_numbers(struct spgc_handle array, uint64_t length, const uint64_t *addresses,
                              uint64_t count) {
  for (uint64_t i = 0; i < length; i++)
    world_set_word(array, (unsigned)(2 + i), tagged(addresses[i % count], i));
}

static void check_numbers(struct spgc_handle array, uint64_t length, const uint64_t *addresses,
                          uint64_t count) {
  for (uint64_t i = 0; i < length; i++)
    ck_assert_uint_eq(world_get_word(array, (unsigned)(2 + i)), tagged(addresses[i % count], i));
}

enum { ADDRESSES = 64 };

static void note_addresses(uint64_t addresses[ADDRESSES], struct spgc_handle living) {
  for (unsigned i = 0; i < ADDRESSES; i++) {
    uint64_t object = i % 2 == 0 ? spgc_allocate(&world_pair).word : spgc_handle_get(living).word;
    addresses[i] = object + 8 * (uint64_t)(i / 2);
  }
}

/* "Numbers in words" in docs/frontend-rules.md. */
START_TEST(words_that_are_not_aligned_are_numbers) {
  enum { LENGTH = 700, LARGE = 9000, ROUNDS = 4 };
  world_open("nursery=64k");
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_value_array, LENGTH));
  struct spgc_handle large = spgc_handle_make(spgc_allocate_array(&world_value_array, LARGE));
  struct spgc_handle values = spgc_handle_make(spgc_allocate(&world_values));
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  struct spgc_handle root = spgc_handle_make(spgc_ref_null());
  struct spgc_handle global = spgc_global_handle_make(spgc_ref_null());
  for (unsigned round = 0; round < ROUNDS; round++) {
    uint64_t addresses[ADDRESSES];
    note_addresses(addresses, pair);
    fill_with_numbers(array, LENGTH, addresses, ADDRESSES);
    fill_with_numbers(large, LARGE, addresses, ADDRESSES);
    world_set(values, 1, spgc_ref_from_word(addresses[0] | 1)); /* also with the barrier */
    world_set(values, 2, spgc_handle_get(pair));
    world_set(pair, 2, spgc_ref_from_word(addresses[1] | 1)); /* at a reference of the descriptor */
    world_set(pair, 3, spgc_ref_from_word(addresses[2] | 7));
    spgc_handle_set(root, spgc_ref_from_word(addresses[3] | 1));
    spgc_handle_set(global, spgc_ref_from_word(addresses[4] | 4));
    ck_assert(!spgc_is_heap_reference(spgc_handle_get(root)));
    collect_both_ways();
    world_verify();
    check_numbers(array, LENGTH, addresses, ADDRESSES);
    check_numbers(large, LARGE, addresses, ADDRESSES);
    ck_assert_uint_eq(world_get_word(values, 1), addresses[0] | 1);
    ck_assert_uint_eq(world_get_word(values, 2), spgc_handle_get(pair).word);
    ck_assert_uint_eq(world_get_word(pair, 2), addresses[1] | 1);
    ck_assert_uint_eq(world_get_word(pair, 3), addresses[2] | 7);
    ck_assert_uint_eq(spgc_handle_get(root).word, addresses[3] | 1);
    ck_assert_uint_eq(spgc_handle_get(global).word, addresses[4] | 4);
  }
  ck_assert_uint_gt(world_statistics().moved_objects, 0);
  spgc_global_handle_release(global);
  world_close();
}
END_TEST

START_TEST(records_mix_references_and_numbers) {
  world_open("");
  enum { LENGTH = 50 };
  struct spgc_handle records = spgc_handle_make(spgc_allocate_array(&world_records, LENGTH));
  ck_assert_uint_eq(spgc_object_size(spgc_handle_get(records)), 24 + 24 * LENGTH);
  world_set(records, 2, spgc_handle_get(world_new_leaf(99)));
  for (unsigned i = 0; i < LENGTH; i++) {
    struct spgc_scope scope = spgc_scope_open();
    world_set(records, 3 + 3 * i, spgc_handle_get(world_new_leaf(i)));
    world_set_word(records, 4 + 3 * i,
                   spgc_handle_get(records).word); /* a number, even if it looks like an address */
    world_set(records, 5 + 3 * i, world_get(records, 3 + 3 * i));
    spgc_scope_close(scope);
  }
  uint64_t last = world_get_word(records, 4 + 3 * (LENGTH - 1));
  collect_both_ways();
  ck_assert_uint_eq(number_of(world_get(records, 2)), 99);
  for (unsigned i = 0; i < LENGTH; i++) {
    ck_assert_uint_eq(number_of(world_get(records, 3 + 3 * i)), i);
    ck_assert_uint_eq(world_get_word(records, 3 + 3 * i), world_get_word(records, 5 + 3 * i));
  }
  ck_assert_uint_eq(world_get_word(records, 4 + 3 * (LENGTH - 1)), last);
  world_close();
}
END_TEST

START_TEST(cycles_and_shared_objects_keep_their_shape) {
  world_open("");
  struct spgc_handle first = spgc_handle_make(spgc_allocate(&world_pair));
  struct spgc_handle second = spgc_handle_make(spgc_allocate(&world_pair));
  world_set(first, 2, spgc_handle_get(second));
  world_set(first, 3, spgc_handle_get(first));
  world_set(second, 2, spgc_handle_get(first));
  world_set(second, 3, spgc_handle_get(second));
  collect_both_ways();
  ck_assert(spgc_ref_equal(world_get(first, 2), spgc_handle_get(second)));
  ck_assert(spgc_ref_equal(world_get(first, 3), spgc_handle_get(first)));
  ck_assert(spgc_ref_equal(world_get(second, 2), spgc_handle_get(first)));
  ck_assert(spgc_ref_equal(world_get(second, 3), spgc_handle_get(second)));
  world_close();
}
END_TEST

START_TEST(a_header_may_be_replaced_by_one_of_equal_size) {
  struct {
    struct spgc_type type;
    int field_of_the_language;
  } class = {world_pair, 12};
  world_open("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  world_set(pair, 2, spgc_handle_get(world_new_leaf(8)));
  world_set_word(pair, 0, (uint64_t)&class);
  collect_both_ways();
  ck_assert_ptr_eq((void *)world_get_word(pair, 0), &class);
  ck_assert_uint_eq(number_of(world_get(pair, 2)), 8);
  world_close();
}
END_TEST

START_TEST(large_objects_stay_where_they_are) {
  world_open("");
  enum { LENGTH = 40000 };
  struct spgc_handle large = spgc_handle_make(spgc_allocate_array(&world_references, LENGTH));
  uintptr_t address = spgc_handle_get(large).word;
  ck_assert_uint_eq(world_get_word(large, 2 + LENGTH - 1), 0);
  world_set(large, 2, spgc_handle_get(world_new_leaf(1)));
  world_set(large, 2 + LENGTH - 1, spgc_handle_get(world_new_leaf(2)));
  collect_both_ways();
  ck_assert_uint_eq(spgc_handle_get(large).word, address);
  ck_assert_uint_eq(number_of(world_get(large, 2)), 1);
  ck_assert_uint_eq(number_of(world_get(large, 2 + LENGTH - 1)), 2);
  world_close();
}
END_TEST

START_TEST(dead_large_objects_give_their_memory_back) {
  world_open("limit=16m");
  struct spgc_handle kept = spgc_handle_make(spgc_ref_null());
  for (int i = 0; i < 200; i++) {
    spgc_handle_set(kept, spgc_allocate_array(&world_bytes, 1 << 20));
    ck_assert(!spgc_ref_is_null(spgc_handle_get(kept)));
    ck_assert_uint_eq(world_get_word(kept, 2), 0);
    memset(world_field(kept, 2), 0xee, 1 << 20);
  }
  world_close();
}
END_TEST

START_TEST(sizes_around_the_large_object_threshold_all_work) {
  world_open("");
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, 64));
  for (unsigned i = 0; i < 64; i++) {
    uint64_t length = 8192 - 256 + 8 * i;
    world_set(array, 2 + i, spgc_allocate_array(&world_bytes, length));
    memset((uint64_t *)world_get(array, 2 + i).word + 2, (int)i, length);
  }
  collect_both_ways();
  for (unsigned i = 0; i < 64; i++) {
    const uint64_t *words = spgc_ref_memory(world_get(array, 2 + i));
    uint64_t length = 8192 - 256 + 8 * i;
    ck_assert_uint_eq(words[1], length);
    ck_assert_uint_eq(((const unsigned char *)words)[16], i);
    ck_assert_uint_eq(((const unsigned char *)words)[16 + length - 1], i);
  }
  world_close();
}
END_TEST

START_TEST(a_long_list_is_collected_without_recursion) {
  world_open("");
  uint64_t count = world_amount(1000000, 30000, 300);
  struct spgc_handle list = world_new_list(count);
  collect_both_ways();
  world_check_list(list, count);
  world_close();
}
END_TEST

START_TEST(data_arrays_are_made_without_a_safepoint_while_the_tlab_has_room) {
  enum { LENGTH = 40 };
  world_open_fixed("");
  uint64_t collections = world_statistics().collections, made = 0;
  spgc_allocate(&world_leaf); /* takes a TLAB */
  for (struct spgc_ref array;
       !spgc_ref_is_null(array = spgc_allocate_array_now(&world_bytes, LENGTH)); made++) {
    ck_assert_uint_eq(spgc_object_size(array), world_bytes.size + LENGTH);
    ck_assert_uint_eq(((const uint64_t *)spgc_ref_memory(array))[1], LENGTH);
  }
  ck_assert_uint_gt(made, 0);
  ck_assert_uint_eq(world_statistics().collections, collections);
  ck_assert(spgc_ref_is_null(spgc_allocate_array_now(&world_bytes, UINT64_MAX)));
  ck_assert(!spgc_ref_is_null(spgc_allocate_array(&world_bytes, LENGTH)));
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-objects", fixed_references_are_followed,
                  new_objects_are_zeroed_where_others_died, tails_of_references_are_followed,
                  bytes_are_copied_and_never_read_as_references,
                  values_hold_references_doubles_and_immediates,
                  words_that_are_not_aligned_are_numbers, records_mix_references_and_numbers,
                  cycles_and_shared_objects_keep_their_shape,
                  a_header_may_be_replaced_by_one_of_equal_size, large_objects_stay_where_they_are,
                  dead_large_objects_give_their_memory_back,
                  sizes_around_the_large_object_threshold_all_work,
                  a_long_list_is_collected_without_recursion,
                  data_arrays_are_made_without_a_safepoint_while_the_tlab_has_room)
