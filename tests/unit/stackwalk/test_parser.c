#include <string.h>

#include "spgc/stackmap.h"
#include "tests/support/stackmap_builder.h"
#include "tests/support/stackmap_frames.h"
#include "tests/support/suite.h"

enum { REGISTER = 1, DIRECT, INDIRECT, CONSTANT, CONSTANT_INDEX };
enum { SCRATCH = 8 }; /* calls never preserve it */
#if defined(__x86_64__)
enum { SAVED_1 = DWARF_RBX, SAVED_2 = DWARF_R12 };
#elif defined(__aarch64__)
enum { SAVED_1 = DWARF_X19, SAVED_2 = DWARF_X19 + 1 };
#endif
enum { FRAME_POINTER = DWARF_FRAME_POINTER, STACK_POINTER = DWARF_STACK_POINTER };

#define COUNT(array) ((uint16_t)(sizeof(array) / sizeof((array)[0])))
#define FUNCTION UINT64_C(0x400000)

static struct stackmap_contents contents;
static struct spgc_error error;

static enum spgc_result parse(struct stackmap_builder *builder) {
  const struct record_owner_source unknown = {0};
  return stackmap_frames_read(builder->bytes, builder->size, &unknown, &contents, &error);
}

static void free_contents(void) {
  spgc_stackmap_contents_free(&contents);
}

/* `locations` follow the leading constants. */
static enum spgc_result parse_statepoint(const struct builder_location *locations, uint16_t count) {
  struct stackmap_builder builder = {0};
  builder_header(&builder, 3, 1, 0, 1);
  builder_function(&builder, FUNCTION, 8, 1);
  builder_statepoint(&builder, 42, 16, locations, count);
  enum spgc_result result = parse(&builder);
  builder_free(&builder);
  return result;
}

static const struct frame_description *only_frame(void) {
  ck_assert_uint_eq(contents.frames.count, 1);
  return contents.frames.data;
}

START_TEST(empty_section_has_no_frames) {
  struct stackmap_builder builder = {0};
  ck_assert_int_eq(parse(&builder), SPGC_OK);
  ck_assert_uint_eq(contents.frames.count, 0);
}
END_TEST

START_TEST(return_address_is_function_plus_offset) {
  ck_assert_int_eq(parse_statepoint(NULL, 0), SPGC_OK);
  const struct frame_description *frame = only_frame();
  ck_assert_uint_eq(frame->return_address.word, FUNCTION + 16);
  ck_assert_uint_eq(frame->id, 42);
  ck_assert_uint_eq(frame->base_count, 0);
}
END_TEST

START_TEST(each_base_is_kept_once) {
  const struct builder_location locations[] = {
      {INDIRECT, 8, STACK_POINTER, 24},
      {INDIRECT, 8, STACK_POINTER, 24}, /* an ordinary reference */
      {INDIRECT, 8, STACK_POINTER, 24},
      {REGISTER, 8, SAVED_2, 0}, /* derives from it */
      {INDIRECT, 8, STACK_POINTER, 24},
      {INDIRECT, 8, STACK_POINTER, 24}, /* again */
      {REGISTER, 8, SAVED_1, 0},
      {REGISTER, 8, SAVED_1, 0},
  };
  ck_assert_int_eq(parse_statepoint(locations, COUNT(locations)), SPGC_OK);
  const struct frame_description *frame = only_frame();
  ck_assert_uint_eq(frame->base_count, 2);
  ck_assert_uint_eq(frame->derived_count, 1);
  const struct location *base = &frame->bases[frame->derived[0].base];
  ck_assert(!base->in_register);
  ck_assert_int_eq(base->offset, 24);
  ck_assert(frame->derived[0].location.in_register);
  ck_assert_uint_eq(frame->derived[0].location.reg, SAVED_2);
  ck_assert(frame->derived[0].rewritten);
}
END_TEST

START_TEST(derived_location_that_is_a_base_is_moved_as_one) {
  const struct builder_location locations[] = {
      {INDIRECT, 8, STACK_POINTER, 0},
      {INDIRECT, 8, STACK_POINTER, 8},
      {INDIRECT, 8, STACK_POINTER, 8},
      {INDIRECT, 8, STACK_POINTER, 8},
  };
  ck_assert_int_eq(parse_statepoint(locations, COUNT(locations)), SPGC_OK);
  ck_assert_uint_eq(only_frame()->base_count, 2);
  ck_assert_uint_eq(only_frame()->derived_count, 1);
  ck_assert(!only_frame()->derived[0].rewritten);
}
END_TEST

START_TEST(derived_location_listed_twice_is_rewritten_once) {
  const struct builder_location locations[] = {
      {INDIRECT, 8, STACK_POINTER, 0},
      {INDIRECT, 8, STACK_POINTER, 16},
      {INDIRECT, 8, STACK_POINTER, 8},
      {INDIRECT, 8, STACK_POINTER, 16},
  };
  ck_assert_int_eq(parse_statepoint(locations, COUNT(locations)), SPGC_OK);
  ck_assert_uint_eq(only_frame()->derived_count, 2);
  ck_assert_int_eq(only_frame()->derived[0].rewritten + only_frame()->derived[1].rewritten, 1);
}
END_TEST

START_TEST(vector_is_a_run_of_words) {
  const struct builder_location locations[] = {
      {INDIRECT, 16, STACK_POINTER, 0},   {INDIRECT, 16, STACK_POINTER, 0},
      {INDIRECT, 32, FRAME_POINTER, -64}, {INDIRECT, 32, FRAME_POINTER, -96},
      {INDIRECT, 64, STACK_POINTER, 16},  {INDIRECT, 64, STACK_POINTER, 16},
  };
  ck_assert_int_eq(parse_statepoint(locations, COUNT(locations)), SPGC_OK);
  const struct frame_description *frame = only_frame();
  ck_assert_uint_eq(frame->base_count, 3);
  uint32_t words = 0;
  for (uint32_t i = 0; i < frame->base_count; i++)
    words += frame->bases[i].words;
  ck_assert_uint_eq(words, 2 + 4 + 8);
  ck_assert_uint_eq(frame->derived[0].location.words, 4);
}
END_TEST

START_TEST(record_may_have_as_many_locations_as_its_count_can_say) {
  enum { PAIRS = (UINT16_MAX - 3) / 2 };
  static struct builder_location locations[2 * PAIRS];
  for (int i = 0; i < PAIRS; i++) {
    locations[2 * i] = (struct builder_location){INDIRECT, 8, STACK_POINTER, 8 * (PAIRS - i)};
    locations[2 * i + 1] = locations[2 * i];
    if (i % 2 == 1)
      locations[2 * i].offset += 8; /* derives from the pair before */
  }
  ck_assert_int_eq(parse_statepoint(locations, COUNT(locations)), SPGC_OK);
  const struct frame_description *frame = only_frame();
  ck_assert_uint_eq(frame->base_count, (PAIRS + 1) / 2);
  ck_assert_uint_eq(frame->derived_count, PAIRS / 2);
  for (uint32_t i = 0; i < frame->derived_count; i++) {
    ck_assert_int_eq(frame->bases[frame->derived[i].base].offset,
                     frame->derived[i].location.offset + 8);
    ck_assert(frame->derived[i].rewritten);
  }
}
END_TEST

START_TEST(constant_bases_are_left_out_with_what_derives_from_them) {
  const struct builder_location locations[] = {
      {CONSTANT, 8, 0, 0},
      {INDIRECT, 8, STACK_POINTER, 0},
      {CONSTANT, 8, 0, 0},
      {CONSTANT, 8, 0, 0},
      {CONSTANT, 8, 0, 0},
      {REGISTER, 8, SAVED_1, 0},
      {INDIRECT, 8, STACK_POINTER, 40},
      {CONSTANT, 8, 0, 8},
  };
  ck_assert_int_eq(parse_statepoint(locations, COUNT(locations)), SPGC_OK);
  ck_assert_uint_eq(only_frame()->base_count, 1);
  ck_assert_int_eq(only_frame()->bases[0].offset, 40);
  ck_assert_uint_eq(only_frame()->derived_count, 0);
}
END_TEST

START_TEST(trailing_direct_locations_are_allocas) {
  const struct builder_location locations[] = {
      {INDIRECT, 8, STACK_POINTER, 0}, {INDIRECT, 8, STACK_POINTER, 0},
      {DIRECT, 24, STACK_POINTER, 8},  {DIRECT, 8, STACK_POINTER, 32},
      {DIRECT, 8, STACK_POINTER, 40},
  };
  ck_assert_int_eq(parse_statepoint(locations, COUNT(locations)), SPGC_OK);
  ck_assert_uint_eq(only_frame()->base_count, 4);
  ck_assert_uint_eq(only_frame()->bases[1].words, 3);
  ck_assert_uint_eq(only_frame()->derived_count, 0);
}
END_TEST

START_TEST(alloca_addresses_among_the_pairs_are_left_alone) {
  const struct builder_location locations[] = {
      {DIRECT, 8, STACK_POINTER, 64},  {DIRECT, 8, STACK_POINTER, 72},
      {INDIRECT, 8, STACK_POINTER, 0}, {DIRECT, 8, STACK_POINTER, 80},
      {DIRECT, 8, STACK_POINTER, 88}, /* the first ends a pair, the second is an alloca
                                       */
  };
  ck_assert_int_eq(parse_statepoint(locations, COUNT(locations)), SPGC_OK);
  ck_assert_uint_eq(only_frame()->base_count, 2);
  ck_assert_int_eq(only_frame()->bases[0].offset, 0);
  ck_assert_int_eq(only_frame()->bases[1].offset, 88);
}
END_TEST

START_TEST(deopt_locations_are_kept_and_are_no_roots) {
  struct stackmap_builder builder = {0};
  const struct builder_location locations[] = {
      {CONSTANT, 8, 0, 0},
      {CONSTANT, 8, 0, 1},
      {CONSTANT, 8, 0, 4},
      {CONSTANT, 8, 0, -7},
      {CONSTANT_INDEX, 8, 0, 1},
      {REGISTER, 4, SCRATCH, 0},
      {INDIRECT, 2, STACK_POINTER, 12},
      {REGISTER, 8, SAVED_1, 0},
      {REGISTER, 8, SAVED_1, 0},
  };
  builder_header(&builder, 3, 1, 2, 1);
  builder_function(&builder, FUNCTION, 8, 1);
  builder_u64(&builder, 11);
  builder_u64(&builder, UINT64_C(99999999999));
  builder_record(&builder, 1, 8, locations, COUNT(locations), 0);
  ck_assert_int_eq(parse(&builder), SPGC_OK);
  const struct frame_description *frame = only_frame();
  ck_assert_uint_eq(frame->flags, SPGC_STATEPOINT_GC_TRANSITION);
  ck_assert_uint_eq(frame->deopt_count, 4);
  ck_assert_int_eq(frame->deopts[0].value, -7);
  ck_assert_uint_eq(frame->deopts[1].kind, SPGC_LOCATION_CONSTANT);
  ck_assert_int_eq(frame->deopts[1].value, INT64_C(99999999999));
  ck_assert_uint_eq(frame->deopts[2].reg, SCRATCH);
  ck_assert_int_eq(frame->deopts[3].value, 12);
  ck_assert_uint_eq(frame->base_count, 1);
  builder_free(&builder);
}
END_TEST

START_TEST(records_of_other_intrinsics_are_left_out) {
  const struct builder_location value[] = {{REGISTER, 8, SCRATCH, 0}};
  const struct builder_location unlike[] = {
      {CONSTANT, 8, 0, 2000}, {CONSTANT, 8, 0, 0}, {CONSTANT, 8, 0, 0}};
  const struct builder_location constants[] = {
      {CONSTANT, 8, 0, 0}, {CONSTANT, 8, 0, 0}, {CONSTANT, 8, 0, 0}};
  const struct builder_location half[] = {
      {CONSTANT, 8, 0, 0}, {CONSTANT, 8, 0, 0}, {CONSTANT, 8, 0, 0}, {REGISTER, 8, SAVED_1, 0}};
  struct stackmap_builder builder = {0};
  builder_header(&builder, 3, 1, 0, 5);
  builder_function(&builder, FUNCTION, 8, 5);
  builder_record(&builder, 1, 8, value, COUNT(value), 0);
  builder_record(&builder, 2, 16, unlike, COUNT(unlike), 0);
  builder_record(&builder, 3, 24, constants, COUNT(constants), 3); /* live-outs: a patchpoint */
  builder_record(&builder, 4, 32, half, COUNT(half), 0);
  builder_record(&builder, 5, 40, NULL, 0, 0);
  ck_assert_int_eq(parse(&builder), SPGC_OK);
  ck_assert_uint_eq(contents.frames.count, 0);
  ck_assert_uint_eq(contents.functions.count, 1);
  builder_free(&builder);
}
END_TEST

static void append_blob(struct stackmap_builder *builder, uint64_t function, uint32_t records) {
  builder_header(builder, 3, 1, 0, records);
  builder_function(builder, function, 8, records);
  for (uint32_t i = 0; i < records; i++)
    builder_statepoint(builder, i, 8 * (i + 1), NULL, 0);
}

START_TEST(concatenated_blobs_are_all_read) {
  struct stackmap_builder builder = {0};
  builder_u64(&builder, 0);
  append_blob(&builder, FUNCTION, 3);
  append_blob(&builder, FUNCTION + 4096, 0);
  builder_u64(&builder, 0);
  builder_u64(&builder, 0);
  append_blob(&builder, FUNCTION + 8192, 2);
  builder_bytes(&builder, "\0\0\0", 3);
  ck_assert_int_eq(parse(&builder), SPGC_OK);
  ck_assert_uint_eq(contents.frames.count, 5);
  ck_assert_uint_eq(contents.functions.count, 3);
  builder_free(&builder);
}
END_TEST

struct wrong_map {
  const char *name;
  void (*build)(struct stackmap_builder *builder);
  enum spgc_result result;
  uint64_t position;
  const char *message;
};

static void build_version_5(struct stackmap_builder *builder) {
  builder_header(builder, SPGC_STACKMAP_VERSION_MAX + 2, 0, 0, 0);
}

static void build_version_4_second(struct stackmap_builder *builder) {
  append_blob(builder, FUNCTION, 0);
  builder_header(builder, SPGC_STACKMAP_VERSION_MAX + 1, 0, 0, 0);
}

static void build_reserved_bytes(struct stackmap_builder *builder) {
  builder_u32(builder, 0x00010003);
}

static void build_many_functions(struct stackmap_builder *builder) {
  builder_header(builder, 3, UINT32_MAX, 0, 0);
}

static void build_many_constants(struct stackmap_builder *builder) {
  builder_header(builder, 3, 1, UINT32_MAX, 0);
  builder_function(builder, FUNCTION, 8, 0);
}

static void build_many_records(struct stackmap_builder *builder) {
  builder_header(builder, 3, 1, 0, UINT32_MAX);
  builder_function(builder, FUNCTION, 8, UINT32_MAX);
}

static void build_function_claims_too_much(struct stackmap_builder *builder) {
  builder_header(builder, 3, 2, 0, 1);
  builder_function(builder, FUNCTION, 8, 1);
  builder_function(builder, FUNCTION + 64, 8, UINT64_MAX);
  builder_statepoint(builder, 0, 8, NULL, 0);
}

static void build_record_without_function(struct stackmap_builder *builder) {
  builder_header(builder, 3, 1, 0, 1);
  builder_function(builder, FUNCTION, 8, 0);
  builder_statepoint(builder, 0, 8, NULL, 0);
}

static void build_function_at_0(struct stackmap_builder *builder) {
  builder_header(builder, 3, 1, 0, 0);
  builder_function(builder, 0, 8, 0);
}

static void build_overflowing_return_address(struct stackmap_builder *builder) {
  builder_header(builder, 3, 1, 0, 1);
  builder_function(builder, UINT64_MAX - 8, 8, 1);
  builder_statepoint(builder, 0, 9, NULL, 0);
}

static void build_locations_past_the_end(struct stackmap_builder *builder) {
  builder_header(builder, 3, 1, 0, 1);
  builder_function(builder, FUNCTION, 8, 1);
  builder_u64(builder, 1);
  builder_u32(builder, 8);
  builder_u32(builder, 0xFFFF0000);
  builder_u64(builder, 0);
}

static void build_live_outs_past_the_end(struct stackmap_builder *builder) {
  builder_header(builder, 3, 1, 0, 1);
  builder_function(builder, FUNCTION, 8, 1);
  builder_u64(builder, 1);
  builder_u64(builder, 8);
  builder_u32(builder, 0xFFFF0000);
  builder_u32(builder, 0);
}

static void build_one_pair(struct stackmap_builder *builder, struct builder_location base,
                           struct builder_location derived) {
  const struct builder_location pair[] = {base, derived};
  builder_header(builder, 3, 1, 0, 1);
  builder_function(builder, FUNCTION, 8, 1);
  builder_statepoint(builder, 0, 8, pair, 2);
}

static void build_unknown_kind(struct stackmap_builder *builder) {
  build_one_pair(builder, (struct builder_location){6, 8, STACK_POINTER, 0},
                 (struct builder_location){INDIRECT, 8, STACK_POINTER, 0});
}

static void build_constant_outside_pool(struct stackmap_builder *builder) {
  build_one_pair(builder, (struct builder_location){INDIRECT, 8, STACK_POINTER, 0},
                 (struct builder_location){CONSTANT_INDEX, 8, 0, 0});
}

static void build_odd_size(struct stackmap_builder *builder) {
  build_one_pair(builder, (struct builder_location){INDIRECT, 12, STACK_POINTER, 0},
                 (struct builder_location){INDIRECT, 12, STACK_POINTER, 0});
}

static void build_unequal_sizes(struct stackmap_builder *builder) {
  build_one_pair(builder, (struct builder_location){INDIRECT, 16, STACK_POINTER, 0},
                 (struct builder_location){INDIRECT, 8, STACK_POINTER, 32});
}

static void build_caller_saved(struct stackmap_builder *builder) {
  build_one_pair(builder, (struct builder_location){REGISTER, 8, SCRATCH, 0},
                 (struct builder_location){REGISTER, 8, SCRATCH, 0});
}

static void build_vector_register(struct stackmap_builder *builder) {
  build_one_pair(builder, (struct builder_location){REGISTER, 16, 17, 0},
                 (struct builder_location){REGISTER, 16, 17, 0});
}

static void build_overlap(struct stackmap_builder *builder) {
  build_one_pair(builder, (struct builder_location){INDIRECT, 16, STACK_POINTER, 0},
                 (struct builder_location){INDIRECT, 16, STACK_POINTER, 8});
}

enum {
  FIRST_RECORD = 16 + 24,
  FIRST_LOCATION = FIRST_RECORD + 16,
  FIRST_PAIR = FIRST_LOCATION + 3 * 12
};

static const struct wrong_map wrong_maps[] = {
    {"version 5", build_version_5, SPGC_ERROR_UNSUPPORTED, 0, "version 5"},
    {"version 4", build_version_4_second, SPGC_ERROR_UNSUPPORTED, 40, "version 4 at byte 40"},
    {"reserved bytes", build_reserved_bytes, SPGC_ERROR_MALFORMED, 0, "reserved bytes"},
    {"many functions", build_many_functions, SPGC_ERROR_MALFORMED, 16, "inside the functions"},
    {"many constants", build_many_constants, SPGC_ERROR_MALFORMED, 40, "inside the constants"},
    {"many records", build_many_records, SPGC_ERROR_MALFORMED, 40, "4294967295 records do not fit"},
    {"claims", build_function_claims_too_much, SPGC_ERROR_MALFORMED, 40, "0 are left"},
    {"orphan record", build_record_without_function, SPGC_ERROR_MALFORMED, 40,
     "belong to no function"},
    {"function at 0", build_function_at_0, SPGC_ERROR_MALFORMED, 16,
     "relocations were not applied"},
    {"overflow", build_overflowing_return_address, SPGC_ERROR_MALFORMED, FIRST_RECORD, "overflows"},
    {"locations", build_locations_past_the_end, SPGC_ERROR_MALFORMED, FIRST_LOCATION,
     "inside the locations"},
    {"live-outs", build_live_outs_past_the_end, SPGC_ERROR_MALFORMED, FIRST_LOCATION + 4,
     "inside the live-outs"},
    {"unknown kind", build_unknown_kind, SPGC_ERROR_MALFORMED, FIRST_PAIR,
     "unknown location kind 6"},
    {"constant", build_constant_outside_pool, SPGC_ERROR_MALFORMED, FIRST_PAIR + 12,
     "constant 0 of a pool of 0"},
    {"odd size", build_odd_size, SPGC_ERROR_MALFORMED, FIRST_PAIR, "a reference of 12 bytes"},
    {"unequal sizes", build_unequal_sizes, SPGC_ERROR_MALFORMED, FIRST_PAIR + 12,
     "8 bytes with a base of 16"},
    {"caller-saved", build_caller_saved, SPGC_ERROR_UNSUPPORTED, FIRST_PAIR,
     "register 8, which calls do not preserve"},
    {"vector register", build_vector_register, SPGC_ERROR_UNSUPPORTED, FIRST_PAIR,
     "vector of references in register"},
    {"overlap", build_overlap, SPGC_ERROR_MALFORMED, FIRST_LOCATION, "overlap"},
};

START_TEST(wrong_map_is_named_with_position_and_reason) {
  const struct wrong_map *wrong = &wrong_maps[_i];
  struct stackmap_builder builder = {0};
  wrong->build(&builder);
  enum spgc_result result = parse(&builder);
  ck_assert_msg(result == wrong->result, "%s: %s", wrong->name, spgc_result_name(result));
  ck_assert_int_eq(error.code, wrong->result);
  ck_assert_msg(strstr(error.message, wrong->message) != NULL, "%s: %s", wrong->name,
                error.message);
  ck_assert_msg(error.position == wrong->position, "%s: position %llu", wrong->name,
                (unsigned long long)error.position);
  builder_free(&builder);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("parser");
  TCase *tests = tcase_create("parser");
  tcase_add_checked_fixture(tests, NULL, free_contents);
  tcase_add_test(tests, empty_section_has_no_frames);
  tcase_add_test(tests, return_address_is_function_plus_offset);
  tcase_add_test(tests, each_base_is_kept_once);
  tcase_add_test(tests, derived_location_that_is_a_base_is_moved_as_one);
  tcase_add_test(tests, derived_location_listed_twice_is_rewritten_once);
  tcase_add_test(tests, vector_is_a_run_of_words);
  tcase_add_test(tests, record_may_have_as_many_locations_as_its_count_can_say);
  tcase_add_test(tests, constant_bases_are_left_out_with_what_derives_from_them);
  tcase_add_test(tests, trailing_direct_locations_are_allocas);
  tcase_add_test(tests, alloca_addresses_among_the_pairs_are_left_alone);
  tcase_add_test(tests, deopt_locations_are_kept_and_are_no_roots);
  tcase_add_test(tests, records_of_other_intrinsics_are_left_out);
  tcase_add_test(tests, concatenated_blobs_are_all_read);
  tcase_add_loop_test(tests, wrong_map_is_named_with_position_and_reason, 0, COUNT(wrong_maps));
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
