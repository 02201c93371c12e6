/* The process-wide table: what is registered can be found, what is unregistered cannot, and no
 * address is ever claimed by two live maps.
 */
#include <string.h>

#include "spgc/stackmap.h"
#include "stackwalk/frame_table.h"
#include "support/fatal.h"
#include "tests/support/random.h"
#include "tests/support/stackmap_builder.h"
#include "tests/support/suite.h"

enum { OFFSET_STEP = 16 };

static struct spgc_error error;

/* A map of one function whose records are for `count` consecutive multiples of OFFSET_STEP. */
static enum spgc_result register_function(uint64_t function, uint32_t first, uint32_t count,
                                          struct spgc_stackmap **map) {
  struct stackmap_builder builder = {0};
  builder_header(&builder, 3, 1, 0, count);
  builder_function(&builder, function, 8, count);
  for (uint32_t i = 0; i < count; i++)
    builder_statepoint(&builder, function + first + i, OFFSET_STEP * (first + i + 1), NULL, 0);
  enum spgc_result result = spgc_stackmap_register(builder.bytes, builder.size, map, &error);
  builder_free(&builder);
  return result;
}

static bool is_known(uint64_t function, uint32_t index) {
  struct return_address address = {function + (uint64_t)OFFSET_STEP * (index + 1)};
  const struct frame_entry *frame = frame_table_find(address);
  if (frame == NULL)
    return false;
  if (frame->return_address.word != address.word || frame->id != function + index)
    ck_abort_msg("another frame was found at 0x%llx", (unsigned long long)address.word);
  return true;
}

START_TEST(registered_addresses_are_found_until_unregistered) {
  struct spgc_stackmap *map;
  ck_assert_int_eq(register_function(0x1000, 0, 100, &map), SPGC_OK);
  ck_assert_uint_eq(spgc_stackmap_record_count(map), 100);
  ck_assert(is_known(0x1000, 0) && is_known(0x1000, 99) && !is_known(0x1000, 100));
  ck_assert(spgc_frame_table_has_function((struct function_address){0x1000}));
  spgc_stackmap_unregister(map);
  ck_assert(!is_known(0x1000, 0) && !is_known(0x1000, 99));
  ck_assert(!spgc_frame_table_has_function((struct function_address){0x1000}));
}
END_TEST

START_TEST(unregistering_nothing_does_nothing) {
  spgc_stackmap_unregister(NULL);
}
END_TEST

START_TEST(address_claimed_by_a_live_map_is_rejected_and_named) {
  struct spgc_stackmap *map, *other = NULL;
  ck_assert_int_eq(register_function(0x1000, 0, 10, &map), SPGC_OK);
  ck_assert_int_eq(register_function(0x1000, 9, 10, &other), SPGC_ERROR_MALFORMED);
  ck_assert_ptr_null(other);
  ck_assert_msg(strstr(error.message, "0x10a0") != NULL, "%s", error.message);
  ck_assert_uint_eq(error.position, 16 + 24); /* its first record, after a header and a function */
  ck_assert(is_known(0x1000, 9) && !is_known(0x1000, 10));
  spgc_stackmap_unregister(map);
  ck_assert(!spgc_frame_table_has_function((struct function_address){0x1000}));
  ck_assert_int_eq(register_function(0x1000, 9, 10, &other), SPGC_OK);
  ck_assert(is_known(0x1000, 10));
  spgc_stackmap_unregister(other);
}
END_TEST

START_TEST(address_listed_twice_in_one_map_is_rejected) {
  struct stackmap_builder builder = {0};
  struct spgc_stackmap *map;
  builder_header(&builder, 3, 1, 0, 3);
  builder_function(&builder, 0x1000, 8, 3);
  builder_statepoint(&builder, 1, 8, NULL, 0);
  builder_statepoint(&builder, 2, 16, NULL, 0);
  size_t third = builder.size;
  builder_statepoint(&builder, 3, 8, NULL, 0);
  ck_assert_int_eq(spgc_stackmap_register(builder.bytes, builder.size, &map, &error),
                   SPGC_ERROR_MALFORMED);
  ck_assert_uint_eq(error.position, third);
  ck_assert_ptr_null(frame_table_find((struct return_address){0x1008}));
  ck_assert_ptr_null(frame_table_find((struct return_address){0x1010}));
  builder_free(&builder);
}
END_TEST

/* As linkers join the sections of object files. The number of records in the later blobs is guessed
 * from the earlier ones, too high and too low. */
START_TEST(blobs_of_any_sizes_make_one_map) {
  static const uint32_t counts[] = {0, 3, 1000, 1, 0, 5000, 2, 20000};
  enum { BLOBS = sizeof counts / sizeof *counts };
  struct stackmap_builder builder = {0};
  struct spgc_stackmap *map;
  size_t records = 0;
  for (uint32_t blob = 0; blob < BLOBS; blob++) {
    uint64_t function = (blob + 1) * UINT64_C(0x10000000);
    uint32_t count = counts[_i == 0 ? blob : BLOBS - 1 - blob];
    builder_header(&builder, 3, 1, 0, count);
    builder_function(&builder, function, 8, count);
    for (uint32_t i = 0; i < count; i++)
      builder_statepoint(&builder, function + i, OFFSET_STEP * (i + 1), NULL, 0);
    records += count;
  }
  ck_assert_int_eq(spgc_stackmap_register(builder.bytes, builder.size, &map, &error), SPGC_OK);
  ck_assert_uint_eq(spgc_stackmap_record_count(map), records);
  for (uint32_t blob = 0; blob < BLOBS; blob++)
    for (uint32_t i = 0, count = counts[_i == 0 ? blob : BLOBS - 1 - blob]; i < count; i++)
      spgc_require(is_known((blob + 1) * UINT64_C(0x10000000), i),
                   "record %u of blob %u is not known", i, blob);
  spgc_stackmap_unregister(map);
  builder_free(&builder);
}
END_TEST

START_TEST(function_listed_by_two_maps_stays_until_both_are_gone) {
  struct spgc_stackmap *map, *other;
  ck_assert_int_eq(register_function(0x1000, 0, 2, &map), SPGC_OK);
  ck_assert_int_eq(register_function(0x1000, 2, 2, &other), SPGC_OK);
  spgc_stackmap_unregister(map);
  ck_assert(spgc_frame_table_has_function((struct function_address){0x1000}));
  ck_assert(!is_known(0x1000, 1) && is_known(0x1000, 2));
  spgc_stackmap_unregister(other);
  ck_assert(!spgc_frame_table_has_function((struct function_address){0x1000}));
}
END_TEST

/* Maps come and go at random; after each step every address is known exactly when the model says
 * so. */
START_TEST(table_agrees_with_a_simple_model) {
  enum { FUNCTIONS = 40, RECORDS = 50, STEPS = 1000 };
  struct random random = random_start("table_agrees_with_a_simple_model");
  struct spgc_stackmap *live[FUNCTIONS] = {0};
  uint32_t counts[FUNCTIONS] = {0};
  for (int step = 0; step < STEPS; step++) {
    uint64_t chosen = random_below(&random, FUNCTIONS);
    if (live[chosen] != NULL) {
      spgc_stackmap_unregister(live[chosen]);
      live[chosen] = NULL;
      counts[chosen] = 0;
    } else {
      counts[chosen] = (uint32_t)random_below(&random, RECORDS + 1);
      ck_assert_int_eq(register_function((chosen + 1) << 12, 0, counts[chosen], &live[chosen]),
                       SPGC_OK);
    }
    for (uint64_t i = 0; i < FUNCTIONS; i++) {
      struct function_address function = {(i + 1) << 12};
      if (spgc_frame_table_has_function(function) != (live[i] != NULL))
        ck_abort_msg("step %d: function %llu", step, (unsigned long long)i);
      for (uint32_t k = 0; k < RECORDS; k++)
        if (is_known(function.word, k) != (k < counts[i]))
          ck_abort_msg("step %d: function %llu, record %u", step, (unsigned long long)i, k);
    }
  }
  for (uint64_t i = 0; i < FUNCTIONS; i++)
    spgc_stackmap_unregister(live[i]);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("registration");
  TCase *tests = tcase_create("registration");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, registered_addresses_are_found_until_unregistered);
  tcase_add_test(tests, unregistering_nothing_does_nothing);
  tcase_add_test(tests, address_claimed_by_a_live_map_is_rejected_and_named);
  tcase_add_loop_test(tests, blobs_of_any_sizes_make_one_map, 0, 2);
  tcase_add_test(tests, address_listed_twice_in_one_map_is_rejected);
  tcase_add_test(tests, function_listed_by_two_maps_stays_until_both_are_gone);
  tcase_add_test(tests, table_agrees_with_a_simple_model);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
