#include <string.h>

#include "check_main.h"
#include "fatal_check.h"
#include "heap_world.h"
#include "spgc/heap.h"

enum { GARBAGE = 0x5a, LATER_BYTES = 64 };

/* Structures grow at the end, where padding could not become a member. */
_Static_assert(offsetof(struct spgc_options, size) == 0 &&
                   offsetof(struct spgc_statistics, size) == 0,
               "the size comes first");
_Static_assert(sizeof(struct spgc_options) ==
                   offsetof(struct spgc_options, profile_signal) + sizeof(int),
               "no padding at the end; or another member is the last");
_Static_assert(sizeof(struct spgc_statistics) ==
                   offsetof(struct spgc_statistics, stops) + sizeof(struct spgc_histogram),
               "no padding at the end; or another member is the last");

/* An earlier release's options end before `seed`. */
union earlier_options {
  struct spgc_options options;
  unsigned char bytes[sizeof(struct spgc_options)];
};
enum { EARLIER_SIZE = offsetof(struct spgc_options, seed) };

static union earlier_options earlier(void) {
  union earlier_options early;
  memset(early.bytes, GARBAGE, sizeof early.bytes);
  early.options.size = EARLIER_SIZE;
  spgc_options_initialise(&early.options);
  return early;
}

static bool is_garbage(const unsigned char *bytes, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    if (bytes[i] != GARBAGE)
      return false;
  return true;
}

/* A later release's options have unknown members. */
struct later_options {
  struct spgc_options known;
  unsigned char members[LATER_BYTES];
};

static struct later_options later(void) {
  struct later_options late;
  memset(&late, GARBAGE, sizeof late);
  late.known.size = sizeof late;
  spgc_options_initialise(&late.known);
  return late;
}

START_TEST(smaller_options_of_an_earlier_release_are_taken) {
  unsetenv("SPGC_OPTIONS");
  union earlier_options early = earlier();
  ck_assert_uint_eq(early.options.size, EARLIER_SIZE);
  ck_assert_uint_eq(early.options.heap_limit, 0);
  ck_assert(is_garbage(early.bytes, EARLIER_SIZE, sizeof early.bytes));
  struct spgc_error error;
  enum spgc_result result = spgc_options_parse(
      &early.options, "limit=64m,stress=every-allocation,move=always,verify=full", &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  ck_assert_uint_eq(early.options.heap_limit, 64 << 20);
  ck_assert(is_garbage(early.bytes, EARLIER_SIZE, sizeof early.bytes));
  /* Garbage would be out of range. */
  result = spgc_start(&early.options, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), &error), SPGC_OK);
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle kept = world_new_leaf(7);
  struct spgc_ref before = spgc_handle_get(kept);
  world_new_leaf(8);
  ck_assert(!spgc_ref_equal(before, spgc_handle_get(kept)));
  ck_assert_uint_gt(world_statistics().moved_objects, 0);
  spgc_scope_close(scope);
  world_close();
}
END_TEST

START_TEST(text_sets_no_option_that_an_earlier_structure_lacks) {
  union earlier_options early = earlier(), before = early;
  struct spgc_error error;
  ck_assert_int_eq(spgc_options_parse(&early.options, "limit=64m,threads=2", &error),
                   SPGC_ERROR_UNSUPPORTED);
  ck_assert_msg(strstr(error.message, "compile the program again") != NULL, "%s", error.message);
  ck_assert_mem_eq(&early, &before, sizeof early);
}
END_TEST

START_TEST(larger_options_of_a_later_release_are_taken_unless_they_set_something_unknown) {
  unsetenv("SPGC_OPTIONS");
  struct later_options late = later();
  struct spgc_error error;
  for (size_t i = 0; i < LATER_BYTES; i++)
    ck_assert_uint_eq(late.members[i], 0);
  ck_assert_int_eq(spgc_options_parse(&late.known, "limit=64m", &error), SPGC_OK);
  ck_assert_uint_eq(late.known.size, sizeof late);
  ck_assert_int_eq(spgc_start(&late.known, &error), SPGC_OK);
  spgc_stop();
  late.members[LATER_BYTES - 1] = 1;
  ck_assert_int_eq(spgc_start(&late.known, &error), SPGC_ERROR_UNSUPPORTED);
  ck_assert_msg(strstr(error.message, "compiled for a later one") != NULL, "%s", error.message);
  ck_assert_int_eq(spgc_options_parse(&late.known, "limit=64m", &error), SPGC_ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(options_without_a_size_are_refused) {
  struct spgc_error error;
  static const size_t sizes[] = {0, 8, 17, 1 << 20, SIZE_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct spgc_options options = {.size = sizes[i], .heap_limit = 64 << 20};
    ck_assert_int_eq(spgc_start(&options, &error), SPGC_ERROR_INVALID_ARGUMENT);
    ck_assert_msg(strstr(error.message, "spgc_start: no release has options of") != NULL, "%s",
                  error.message);
    ck_assert_int_eq(spgc_options_parse(&options, "", &error), SPGC_ERROR_INVALID_ARGUMENT);
  }
}
END_TEST

START_TEST(statistics_are_as_many_as_the_structure_holds) {
  world_open("stress=none");
  struct {
    struct spgc_statistics known;
    unsigned char members[LATER_BYTES];
  } taken;
  enum { EARLY_SIZE = offsetof(struct spgc_statistics, moved_objects) };
  memset(&taken, GARBAGE, sizeof taken);
  taken.known.size = EARLY_SIZE;
  world_new_leaf(1);
  spgc_collect(SPGC_COLLECTION_FULL);
  spgc_statistics_fill(&taken.known);
  ck_assert_uint_eq(taken.known.size, EARLY_SIZE);
  ck_assert_uint_ge(taken.known.full_collections, 1);
  ck_assert_uint_gt(taken.known.allocated_bytes, 0);
  ck_assert(is_garbage((const unsigned char *)&taken, EARLY_SIZE, sizeof taken));
  taken.known.size = sizeof taken;
  spgc_statistics_fill(&taken.known);
  ck_assert_uint_gt(taken.known.peak_heap_bytes, 0);
  for (size_t i = 0; i < LATER_BYTES; i++)
    ck_assert_uint_eq(taken.members[i], 0);
  world_close();
}
END_TEST

static void fill_without_a_size(void) {
  struct spgc_statistics statistics = {0};
  world_open("");
  spgc_statistics_fill(&statistics);
}

static void initialise_without_a_size(void) {
  struct spgc_options options = {0};
  spgc_options_initialise(&options);
}

START_TEST(a_structure_to_fill_without_a_size_is_fatal) {
  check_is_fatal(fill_without_a_size, "spgc_statistics_read: the structure's size is not set");
  check_is_fatal(initialise_without_a_size,
                 "spgc_options_default: the structure's size is not set");
}
END_TEST

CHECK_MAIN("heap-sized", smaller_options_of_an_earlier_release_are_taken,
           text_sets_no_option_that_an_earlier_structure_lacks,
           larger_options_of_a_later_release_are_taken_unless_they_set_something_unknown,
           options_without_a_size_are_refused, statistics_are_as_many_as_the_structure_holds,
           a_structure_to_fill_without_a_size_is_fatal)
