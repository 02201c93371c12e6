#include <string.h>

#include "spgc/stackmap.h"
#include "spgc/stackmap_reader.h"
#include "stackwalk/frame_table.h"
#include "support/fatal.h"
#include "tests/support/random.h"
#include "tests/support/stackmap_builder.h"
#include "tests/support/suite.h"

enum { OFFSET_STEP = 16 };

#define BUILDER_SLOT(offset) {SPGC_LOCATION_INDIRECT, 8, DWARF_STACK_POINTER, (offset)}

static struct spgc_error error;

/* Records for `count` consecutive multiples of OFFSET_STEP, with IDs from `id` + `first`. */
static enum spgc_result register_with_ids(uint64_t id, uint64_t function, uint32_t first,
                                          uint32_t count, struct spgc_stackmap **map) {
  struct stackmap_builder builder = {0};
  builder_header(&builder, 3, 1, 0, count);
  builder_function(&builder, function, 8, count);
  for (uint32_t i = 0; i < count; i++)
    builder_statepoint(&builder, id + first + i, OFFSET_STEP * (first + i + 1), NULL, 0);
  enum spgc_result result = spgc_stackmap_register(builder.bytes, builder.size, map, &error);
  builder_free(&builder);
  return result;
}

static enum spgc_result register_function(uint64_t function, uint32_t first, uint32_t count,
                                          struct spgc_stackmap **map) {
  return register_with_ids(function, function, first, count, map);
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
  ck_assert_int_eq(register_with_ids(0x2000, 0x1000, 9, 10, &other), SPGC_ERROR_MALFORMED);
  ck_assert_ptr_null(other);
  ck_assert_msg(strstr(error.message, "0x10a0") != NULL, "%s", error.message);
  ck_assert_msg(strstr(error.message, "--icf") != NULL, "%s", error.message);
  ck_assert_uint_eq(error.position, 16 + 24); /* its first record, after a header and a function */
  ck_assert(is_known(0x1000, 9) && !is_known(0x1000, 10));
  spgc_stackmap_unregister(map);
  ck_assert(!spgc_frame_table_has_function((struct function_address){0x1000}));
  ck_assert_int_eq(register_function(0x1000, 9, 10, &other), SPGC_OK);
  ck_assert(is_known(0x1000, 10));
  spgc_stackmap_unregister(other);
}
END_TEST

/* As if a linker had folded functions of two modules. */
START_TEST(equal_records_of_two_live_maps_are_one) {
  struct spgc_stackmap *map, *other;
  ck_assert_int_eq(register_function(0x1000, 0, 10, &map), SPGC_OK);
  ck_assert_int_eq(register_function(0x1000, 5, 10, &other), SPGC_OK);
  ck_assert(is_known(0x1000, 4) && is_known(0x1000, 9) && is_known(0x1000, 14));
  spgc_stackmap_unregister(map);
  ck_assert(!is_known(0x1000, 4) && is_known(0x1000, 5) && is_known(0x1000, 9));
  spgc_stackmap_unregister(other);
  ck_assert(!is_known(0x1000, 9));
}
END_TEST

/* Pairs of a base and its derived reference: the first two need no description. */
enum { PAIRS = 4 };
static const struct builder_location pairs[PAIRS][2] = {
    {BUILDER_SLOT(0), BUILDER_SLOT(0)},
    {BUILDER_SLOT(8), BUILDER_SLOT(8)},
    {BUILDER_SLOT(8), BUILDER_SLOT(16)},
    {BUILDER_SLOT(0), BUILDER_SLOT(8)},
};

/* Two functions at one address with the same 20 calls, of the pair `first`; but the second's call
 * `different` has `second`. */
static enum spgc_result register_folded(const struct builder_location *first,
                                        const struct builder_location *second, uint32_t different,
                                        uint64_t *position, struct spgc_stackmap **map) {
  enum { CALLS = 20 };
  struct stackmap_builder builder = {0};
  builder_header(&builder, 3, 2, 0, 2 * CALLS);
  builder_function(&builder, 0x1000, 24, CALLS);
  builder_function(&builder, 0x1000, 24, CALLS);
  for (uint32_t i = 0; i < 2 * CALLS; i++) {
    const struct builder_location *pair = i == CALLS + different ? second : first;
    *position = i == CALLS + different ? builder.size : *position;
    builder_statepoint(&builder, 7, OFFSET_STEP * (i % CALLS + 1), pair, 2);
  }
  enum spgc_result result = spgc_stackmap_register(builder.bytes, builder.size, map, &error);
  builder_free(&builder);
  return result;
}

START_TEST(records_of_folded_functions_are_one_if_they_are_equal) {
  for (int i = 0; i < PAIRS * PAIRS; i++)
    for (uint32_t different = 0; different < 20; different += 19) {
      struct spgc_stackmap *map;
      uint64_t position = 0;
      enum spgc_result result =
          register_folded(pairs[i / PAIRS], pairs[i % PAIRS], different, &position, &map);
      if (i / PAIRS == i % PAIRS) {
        ck_assert_int_eq(result, SPGC_OK);
        ck_assert_uint_eq(spgc_stackmap_record_count(map), 20);
        spgc_stackmap_unregister(map);
      } else {
        ck_assert_int_eq(result, SPGC_ERROR_MALFORMED);
        ck_assert_uint_eq(error.position, position);
        ck_assert_msg(strstr(error.message, "--icf") != NULL, "%s", error.message);
      }
      ck_assert_ptr_null(frame_table_find((struct return_address){0x1010}));
    }
}
END_TEST

/* As linkers join sections. The parser guesses too many and too few records. */
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
  tcase_add_test(tests, equal_records_of_two_live_maps_are_one);
  tcase_add_test(tests, records_of_folded_functions_are_one_if_they_are_equal);
  tcase_add_test(tests, function_listed_by_two_maps_stays_until_both_are_gone);
  tcase_add_test(tests, table_agrees_with_a_simple_model);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
