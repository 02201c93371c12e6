#include <stdio.h>
#include <stdlib.h>

#include "stackwalk/frame_map_builder.h"
#include "support/fatal.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { CALLS = 100000, SHORTEST_CALL = 5 };

static struct frame_description *frames;
static int frame_count;
static struct frame_map map;

/* `expected` at first, and again whenever there are more: if entries moved for each, this would
 * take hours. */
static void enter_frames(uint64_t expected) {
  struct frame_map_builder builder = {0};
  struct stackmap_contents contents = {.functions.element_size = sizeof(struct function_address)};
  struct function_address *function = spgc_array_append(&contents.functions, 1);
  function->word = frames[0].return_address.word - SHORTEST_CALL;
  for (int i = 0; i < frame_count; i++) {
    bool keep = true;
    if ((uint64_t)i % expected == 0)
      ck_assert_int_eq(spgc_frame_map_expect(&builder, expected, NULL), SPGC_OK);
    ck_assert_int_eq(spgc_frame_map_enter(&builder, &frames[i], &keep, NULL), SPGC_OK);
    spgc_require(!keep, "a frame without roots needs a description");
  }
  ck_assert_int_eq(spgc_frame_map_finish(&builder, &contents, &map, NULL), SPGC_OK);
}

static void make_frames(struct random *random, int count, uint64_t distance) {
  uintptr_t address = UINT64_C(0x550000000000);
  frame_count = count;
  frames = calloc((size_t)count + 1, sizeof *frames);
  for (int i = 0; i < count; i++) {
    address += SHORTEST_CALL + random_below(random, distance);
    frames[i] = (struct frame_description){
        .return_address = {address}, .id = (uint64_t)i, .stack_size = 24};
  }
}

static void make_map(struct random *random, int count, uint64_t distance) {
  make_frames(random, count, distance);
  enter_frames((uint64_t)count);
}

static void free_map(void) {
  spgc_frame_map_destroy(&map);
  free(frames);
}

static const uint64_t distances[] = {1, 16, 60, 200, 5000};
enum { DISTANCES = sizeof distances / sizeof *distances };

static void check_map(void) {
  for (int i = 0; i < frame_count; i++) {
    struct return_address address = frames[i].return_address;
    const struct frame_entry *entry = frame_map_find(&map, address);
    spgc_require(entry != NULL && entry->return_address.word == address.word &&
                     entry->id == (uint64_t)i,
                 "entry %d was not found", i);
    bool next_is_one = i + 1 < frame_count && frames[i + 1].return_address.word == address.word + 1;
    spgc_require(next_is_one ||
                     frame_map_find(&map, (struct return_address){address.word + 1}) == NULL,
                 "what is no return address was found");
  }
  ck_assert_ptr_null(frame_map_find(&map, (struct return_address){0}));
}

START_TEST(every_return_address_is_found_and_no_other) {
  struct random random = random_start("frame-map");
  make_map(&random, CALLS, distances[_i]);
  check_map();
  free_map();
}
END_TEST

/* The smallest are full, and a lookup that finds nothing ends. */
START_TEST(small_maps_take_few_entries) {
  struct random random = random_start("frame-map");
  for (int count = 0; count <= 40; count++) {
    make_map(&random, count, distances[_i]);
    ck_assert_uint_le(map.entry_count, (uint64_t)(count <= 8 ? count + (count == 0) : 2 * count));
    check_map();
    free_map();
  }
}
END_TEST

/* 13 of 20 entries are taken, two in a line: random placement leaves 80 % in the line of their
 * hash. */
START_TEST(most_lookups_read_one_cache_line) {
  struct random random = random_start("frame-map");
  make_map(&random, CALLS, distances[_i]);
  uint64_t one_line = 0, lines = 0;
  ck_assert_uint_eq((uintptr_t)map.entries % (MAP_LINE_ENTRIES * sizeof *map.entries), 0);
  for (int i = 0; i < CALLS; i++) {
    uint64_t home = frame_map_home(&map, frames[i].return_address);
    uint64_t at = (uint64_t)(frame_map_probe(&map, frames[i].return_address) - map.entries);
    uint64_t distance = (at + map.entry_count - home) % map.entry_count;
    one_line += distance < MAP_LINE_ENTRIES;
    lines += distance / MAP_LINE_ENTRIES + 1;
  }
  printf("distances up to %lu: %.1f %% of lookups in one line, %.2f lines each\n", distances[_i],
         (double)one_line * 100 / CALLS, (double)lines / CALLS);
  ck_assert_uint_gt(one_line * 100, UINT64_C(78) * CALLS);
  ck_assert_uint_lt(lines * 100, UINT64_C(145) * CALLS);
  free_map();
}
END_TEST

static const uint64_t expectations[] = {7 * CALLS, CALLS + CALLS / 10, CALLS, CALLS / 2 + 1, 999,
                                        1};
enum { EXPECTATIONS = sizeof expectations / sizeof *expectations };

START_TEST(a_map_is_as_large_as_its_frames_need_whatever_was_expected) {
  struct random random = random_start("frame-map");
  make_frames(&random, CALLS, 60);
  enter_frames(expectations[_i]);
  ck_assert_uint_eq(spgc_frame_map_frame_count(&map), CALLS);
  ck_assert_uint_ge(UINT64_C(13) * map.entry_count, UINT64_C(20) * CALLS);
  ck_assert_uint_lt(UINT64_C(13) * 19 * map.entry_count, UINT64_C(20) * CALLS * 20 + 20);
  for (int i = 0; i < CALLS; i++) {
    const struct frame_entry *entry = frame_map_find(&map, frames[i].return_address);
    spgc_require(entry != NULL && entry->id == (uint64_t)i, "entry %d was not found", i);
  }
  free_map();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("stackwalk-frame-map");
  TCase *tcase = tcase_create("frame-map");
  tcase_add_loop_test(tcase, every_return_address_is_found_and_no_other, 0, DISTANCES);
  tcase_add_loop_test(tcase, small_maps_take_few_entries, 0, DISTANCES);
  tcase_add_loop_test(tcase, a_map_is_as_large_as_its_frames_need_whatever_was_expected, 0,
                      EXPECTATIONS);
  tcase_add_loop_test(tcase, most_lookups_read_one_cache_line, 0, DISTANCES);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
