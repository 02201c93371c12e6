/* Versions 1, 2 and 3, in either byte order. */
#include <string.h>

#include "spgc/stackmap.h"
#include "spgc/stackmap_reader.h"
#include "tests/support/random.h"
#include "tests/support/stackmap_builder.h"
#include "tests/support/stackmap_frames.h"
#include "tests/support/suite.h"

enum { REGISTER = 1, DIRECT, INDIRECT, CONSTANT, CONSTANT_INDEX };
enum { SAVED = DWARF_FRAME_POINTER, STACK_POINTER = DWARF_STACK_POINTER };

#define COUNT(array) ((uint16_t)(sizeof(array) / sizeof((array)[0])))
#define FUNCTION UINT64_C(0x400000)

static struct spgc_error error;

static const struct builder_location kinds[] = {
    {REGISTER, 8, SAVED, 0}, {DIRECT, 8, STACK_POINTER, 24}, {INDIRECT, 16, STACK_POINTER, -40},
    {CONSTANT, 8, 0, -7},    {CONSTANT_INDEX, 8, 0, 1},
};

static void build_every_kind(struct stackmap_builder *builder, uint8_t version) {
  builder_header(builder, version, 2, 2, 3);
  builder_function(builder, FUNCTION, 24, 1);
  builder_function(builder, FUNCTION + 256, UINT64_MAX, 2);
  builder_u64(builder, 11);
  builder_u64(builder, UINT64_C(0xFEDCBA9876543210));
  builder_flagged_record(builder, UINT64_C(0x8877665544332211), 0x10203, 0xABCD, kinds,
                         COUNT(kinds), 3);
  builder_record(builder, 2, 8, kinds, 1, 0);
  builder_record(builder, 3, 4, NULL, 0, 2);
}

static void check_first_record(const struct spgc_stackmap_section *section,
                               const struct spgc_stackmap_blob *blob,
                               const struct spgc_stackmap_record *record) {
  ck_assert_uint_eq(record->id, UINT64_C(0x8877665544332211));
  ck_assert_uint_eq(record->instruction_offset, 0x10203);
  ck_assert_uint_eq(record->flags, 0xABCD);
  ck_assert_uint_eq(record->location_count, COUNT(kinds));
  for (uint16_t i = 0; i < COUNT(kinds); i++) {
    struct spgc_stackmap_location location = spgc_stackmap_location_at(section, blob, record, i);
    ck_assert_uint_eq(location.kind, kinds[i].kind);
    ck_assert_uint_eq(location.size, kinds[i].size);
    ck_assert_uint_eq(location.reg, kinds[i].reg);
    ck_assert_int_eq(location.offset, kinds[i].offset);
  }
  ck_assert_uint_eq(record->live_out_count, 3);
  for (uint16_t i = 0; i < record->live_out_count; i++) {
    struct spgc_stackmap_live_out live_out = spgc_stackmap_live_out_at(section, record, i);
    ck_assert_uint_eq(live_out.reg, i);
    ck_assert_uint_eq(live_out.size, 8 + i);
  }
}

static void check_tables(const struct spgc_stackmap_section *section,
                         const struct spgc_stackmap_blob *blob) {
  struct spgc_stackmap_function second = spgc_stackmap_function_at(section, blob, 1);
  ck_assert_uint_eq(blob->function_count, 2);
  ck_assert_uint_eq(spgc_stackmap_function_at(section, blob, 0).address, FUNCTION);
  ck_assert_uint_eq(second.address, FUNCTION + 256);
  ck_assert_uint_eq(second.stack_size, UINT64_MAX);
  ck_assert_uint_eq(second.record_count, blob->version == 1 ? 0 : 2);
  ck_assert_uint_eq(blob->constant_count, 2);
  ck_assert_uint_eq(spgc_stackmap_constant_at(section, blob, 1), UINT64_C(0xFEDCBA9876543210));
}

START_TEST(every_version_and_byte_order_reads_the_same) {
  struct stackmap_builder builder = {.big_endian = _i % 2 == 1};
  const uint8_t version = (uint8_t)(1 + _i / 2);
  for (int twice = 0; twice < 2; twice++)
    build_every_kind(&builder, version);
  const struct spgc_stackmap_section section = {
      builder.bytes, builder.size, builder.big_endian ? SPGC_BIG_ENDIAN : SPGC_LITTLE_ENDIAN};
  struct spgc_stackmap_blob blob;
  struct spgc_stackmap_record record;
  uint64_t position = 0;
  for (int twice = 0; twice < 2; twice++) {
    ck_assert_int_eq(spgc_stackmap_read_blob(&section, &position, &blob, &error), SPGC_OK);
    ck_assert_uint_eq(blob.version, version);
    check_tables(&section, &blob);
    ck_assert_int_eq(spgc_stackmap_read_record(&section, &blob, &position, &record, &error),
                     SPGC_OK);
    check_first_record(&section, &blob, &record);
    ck_assert_int_eq(spgc_stackmap_read_record(&section, &blob, &position, &record, &error),
                     SPGC_OK);
    ck_assert_uint_eq(record.id, 2);
    ck_assert_int_eq(spgc_stackmap_read_record(&section, &blob, &position, &record, &error),
                     SPGC_OK);
    ck_assert_uint_eq(record.live_out_count, 2);
  }
  ck_assert_int_eq(spgc_stackmap_read_blob(&section, &position, &blob, &error), SPGC_OK);
  ck_assert_uint_eq(blob.version, 0);
  ck_assert_uint_eq(position, builder.size);
  builder_free(&builder);
}
END_TEST

/* Functions at these offsets from FUNCTION, and statepoints with IDs 0, 1, ... at theirs. */
struct shape {
  uint8_t version;
  uint32_t functions[4], function_count;
  uint32_t records[6], record_count;
};

static void build_shape(struct stackmap_builder *builder, const struct shape *shape) {
  builder_header(builder, shape->version, shape->function_count, 0, shape->record_count);
  for (uint32_t i = 0; i < shape->function_count; i++)
    builder_function(builder, FUNCTION + shape->functions[i], 8, i == 0 ? shape->record_count : 0);
  for (uint32_t i = 0; i < shape->record_count; i++)
    builder_statepoint(builder, i, shape->records[i], NULL, 0);
}

/* For each ID, the caller knows a function's offset, or UNKNOWN. */
enum { UNKNOWN = UINT32_MAX };

static uint64_t function_of(void *context, uint64_t id, uint32_t offset) {
  const uint32_t *known = context;
  return known[id] == UNKNOWN ? 0 : FUNCTION + known[id];
}

/* Return addresses are offsets from FUNCTION. */
static void expect_owners(const struct shape *shape, uint32_t *known,
                          const uint32_t *return_offsets) {
  struct stackmap_builder builder = {0};
  struct stackmap_contents contents;
  build_shape(&builder, shape);
  const struct record_owner_source source = {known == NULL ? NULL : function_of, known};
  enum spgc_result result =
      stackmap_frames_read(builder.bytes, builder.size, &source, &contents, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  const struct frame_description *frames = contents.frames.data;
  ck_assert_uint_eq(contents.frames.count, shape->record_count);
  for (uint32_t i = 0; i < shape->record_count; i++)
    ck_assert_uint_eq(frames[i].return_address.word, FUNCTION + return_offsets[i]);
  spgc_stackmap_contents_free(&contents);
  builder_free(&builder);
}

static void expect_refusal(const struct shape *shape, uint32_t *known, enum spgc_result expected,
                           const char *message) {
  struct stackmap_builder builder = {0};
  struct spgc_stackmap *map;
  build_shape(&builder, shape);
  enum spgc_result result = spgc_stackmap_register_v1(
      builder.bytes, builder.size, known == NULL ? NULL : function_of, known, &map, &error);
  ck_assert_int_eq(result, expected);
  ck_assert_msg(strstr(error.message, message) != NULL, "%s", error.message);
  builder_free(&builder);
}

START_TEST(records_of_one_function_come_in_any_order) {
  struct shape shape = {
      .functions = {0}, .function_count = 1, .records = {40, 8, 64, 24}, .record_count = 4};
  for (shape.version = 1; shape.version <= 3; shape.version++)
    expect_owners(&shape, NULL, (const uint32_t[]){40, 8, 64, 24});
}
END_TEST

START_TEST(version_1_with_a_record_for_each_function_is_settled) {
  const struct shape shape = {1, {512, 0, 256}, 3, {8, 16, 24}, 3};
  expect_owners(&shape, NULL, (const uint32_t[]){512 + 8, 0 + 16, 256 + 24});
}
END_TEST

/* 300 cannot be in the first function, of 256 bytes; so 20 must be in the second. */
START_TEST(version_1_is_settled_by_offsets_beyond_a_function) {
  const struct shape shape = {1, {0, 256}, 2, {8, 300, 20}, 3};
  expect_owners(&shape, NULL, (const uint32_t[]){8, 256 + 300, 256 + 20});
}
END_TEST

START_TEST(version_1_open_owners_are_refused) {
  const struct shape shape = {1, {0, 256}, 2, {8, 16, 24}, 3};
  expect_refusal(&shape, NULL, SPGC_ERROR_UNSUPPORTED, "spgc_stackmap_register_v1");
  ck_assert_uint_eq(error.position,
                    16 + 2 * 16 + 48); /* the second may belong to either function */
}
END_TEST

START_TEST(version_1_is_settled_by_what_the_caller_knows) {
  const struct shape shape = {1, {0, 256}, 2, {8, 16, 24, 32}, 4};
  uint32_t second_starts_the_second[] = {UNKNOWN, 256, UNKNOWN, UNKNOWN};
  uint32_t third_ends_the_first[] = {UNKNOWN, UNKNOWN, 0, UNKNOWN};
  expect_owners(&shape, second_starts_the_second,
                (const uint32_t[]){8, 256 + 16, 256 + 24, 256 + 32});
  expect_owners(&shape, third_ends_the_first, (const uint32_t[]){8, 16, 24, 256 + 32});
}
END_TEST

START_TEST(version_1_needs_no_order_when_the_caller_knows_all) {
  const struct shape shape = {1, {0, 256}, 2, {8, 16, 24}, 3};
  uint32_t interleaved[] = {256, 0, 256};
  expect_owners(&shape, interleaved, (const uint32_t[]){256 + 8, 16, 256 + 24});
}
END_TEST

START_TEST(version_1_contradictions_are_refused) {
  const struct shape shape = {1, {0, 256}, 2, {8, 300, 20}, 3};
  uint32_t not_listed[] = {UNKNOWN, 16, UNKNOWN};
  uint32_t too_short[] = {UNKNOWN, 0, UNKNOWN};
  uint32_t out_of_order[] = {256, UNKNOWN, UNKNOWN};
  const struct shape fewer_records = {1, {0, 256, 512}, 3, {8, 16}, 2};
  const struct shape no_function = {1, {0}, 0, {8}, 1};
  expect_refusal(&shape, not_listed, SPGC_ERROR_INVALID_ARGUMENT, "is not in the list");
  expect_refusal(&shape, too_short, SPGC_ERROR_INVALID_ARGUMENT,
                 "beyond the start of the next function");
  expect_refusal(&shape, out_of_order, SPGC_ERROR_MALFORMED, "cannot be assigned");
  expect_refusal(&fewer_records, NULL, SPGC_ERROR_MALFORMED, "cannot be assigned");
  expect_refusal(&no_function, NULL, SPGC_ERROR_MALFORMED, "belong to no function");
}
END_TEST

/* Every assignment in order that the rule allows; the parser accepts iff there is exactly one. */
static unsigned count_assignments(const struct shape *shape, uint32_t record, uint32_t function,
                                  uint32_t *owners, uint32_t *found) {
  uint32_t next = UNKNOWN;
  for (uint32_t i = 0; i < shape->function_count; i++)
    if (shape->functions[i] > shape->functions[function] && shape->functions[i] < next)
      next = shape->functions[i];
  if (next != UNKNOWN && shape->records[record] > next - shape->functions[function])
    return 0;
  owners[record] = function;
  if (record + 1 == shape->record_count) {
    if (function + 1 != shape->function_count)
      return 0;
    memcpy(found, owners, shape->record_count * sizeof *owners);
    return 1;
  }
  unsigned count = count_assignments(shape, record + 1, function, owners, found);
  if (function + 1 < shape->function_count)
    count += count_assignments(shape, record + 1, function + 1, owners, found);
  return count;
}

START_TEST(version_1_agrees_with_trying_every_assignment) {
  static const uint32_t starts[] = {0, 32, 96, 112};
  struct random random = random_start("version_1_agrees_with_trying_every_assignment");
  unsigned settled = 0, refused = 0;
  for (int round = 0; round < 20000; round++) {
    struct shape shape = {.version = 1,
                          .function_count = 1 + (uint32_t)random_below(&random, 4),
                          .record_count = 1 + (uint32_t)random_below(&random, 6)};
    uint64_t rotation = random_below(&random, 4);
    for (uint32_t i = 0; i < shape.function_count; i++)
      shape.functions[i] = starts[(i + rotation) % 4];
    for (uint32_t i = 0; i < shape.record_count; i++)
      shape.records[i] = 1 + (uint32_t)random_below(&random, 80);
    uint32_t owners[6], found[6], offsets[6];
    unsigned count = count_assignments(&shape, 0, 0, owners, found);
    if (count != 1) {
      refused++;
      expect_refusal(&shape, NULL, count == 0 ? SPGC_ERROR_MALFORMED : SPGC_ERROR_UNSUPPORTED, "");
      continue;
    }
    settled++;
    for (uint32_t i = 0; i < shape.record_count; i++)
      offsets[i] = shape.functions[found[i]] + shape.records[i];
    expect_owners(&shape, NULL, offsets);
  }
  ck_assert_uint_gt(settled, 100);
  ck_assert_uint_gt(refused, 100);
}
END_TEST

START_TEST(pooled_constants_serve_as_deopt_values_and_as_bases) {
  const struct builder_location locations[] = {
      {CONSTANT, 8, 0, 0},
      {CONSTANT, 8, 0, 0},
      {CONSTANT, 8, 0, 2},
      {CONSTANT_INDEX, 8, 0, 1},
      {CONSTANT, 8, 0, -1},
      {CONSTANT_INDEX, 8, 0, 0},
      {INDIRECT, 8, STACK_POINTER, 16},
      {INDIRECT, 8, STACK_POINTER, 24},
      {CONSTANT_INDEX, 8, 0, 1},
  };
  for (uint8_t version = 1; version <= 3; version++) {
    struct stackmap_builder builder = {0};
    struct stackmap_contents contents;
    const struct record_owner_source unknown = {0};
    builder_header(&builder, version, 1, 2, 1);
    builder_function(&builder, FUNCTION, 8, 1);
    builder_u64(&builder, UINT64_C(0x123456789A));
    builder_u64(&builder, UINT64_MAX - 1);
    builder_record(&builder, 5, 8, locations, COUNT(locations), 0);
    ck_assert_int_eq(stackmap_frames_read(builder.bytes, builder.size, &unknown, &contents, &error),
                     SPGC_OK);
    const struct frame_description *frame = contents.frames.data;
    ck_assert_uint_eq(contents.frames.count, 1);
    ck_assert_uint_eq(frame->deopt_count, 2);
    ck_assert_int_eq(frame->deopts[0].value, -2);
    ck_assert_int_eq(frame->deopts[1].value, -1);
    ck_assert_uint_eq(frame->base_count, 1); /* the pooled base is not an object */
    ck_assert_int_eq(frame->bases[0].offset, 24);
    ck_assert_uint_eq(frame->derived_count, 0);
    spgc_stackmap_contents_free(&contents);
    builder_free(&builder);
  }
}
END_TEST

START_TEST(section_may_mix_versions) {
  struct stackmap_builder builder = {0};
  struct spgc_stackmap *map;
  for (uint8_t version = 1; version <= 3; version++) {
    builder_header(&builder, version, 1, 0, version);
    builder_function(&builder, FUNCTION + 4096 * (uint64_t)version, 8, version);
    for (uint32_t i = 0; i < version; i++)
      builder_statepoint(&builder, i, 8 * (i + 1), NULL, 0);
  }
  ck_assert_int_eq(spgc_stackmap_register(builder.bytes, builder.size, &map, &error), SPGC_OK);
  ck_assert_uint_eq(spgc_stackmap_record_count(map), 1 + 2 + 3);
  spgc_stackmap_unregister(map);
  builder_free(&builder);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("versions");
  TCase *tests = tcase_create("versions");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, every_version_and_byte_order_reads_the_same, 0, 6);
  tcase_add_test(tests, records_of_one_function_come_in_any_order);
  tcase_add_test(tests, version_1_with_a_record_for_each_function_is_settled);
  tcase_add_test(tests, version_1_is_settled_by_offsets_beyond_a_function);
  tcase_add_test(tests, version_1_open_owners_are_refused);
  tcase_add_test(tests, version_1_is_settled_by_what_the_caller_knows);
  tcase_add_test(tests, version_1_needs_no_order_when_the_caller_knows_all);
  tcase_add_test(tests, version_1_contradictions_are_refused);
  tcase_add_test(tests, version_1_agrees_with_trying_every_assignment);
  tcase_add_test(tests, pooled_constants_serve_as_deopt_values_and_as_bases);
  tcase_add_test(tests, section_may_mix_versions);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
