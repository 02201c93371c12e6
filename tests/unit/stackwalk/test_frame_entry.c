#include "stackwalk/frame_entry.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { MOST_BASES = 70 };

static struct location bases[MOST_BASES];
static struct frame_description frame;

static void start(void) {
  frame = (struct frame_description){.return_address = {0x1234},
                                     .id = UINT64_MAX - 1,
                                     .flags = 2,
                                     .stack_size = 80,
                                     .bases = bases};
}

static void add_register(unsigned reg) {
  bases[frame.base_count++] =
      (struct location){.words = 1, .reg = (uint8_t)reg, .in_register = true};
}

static void add_slot(unsigned reg, int32_t offset, uint16_t words) {
  bases[frame.base_count++] =
      (struct location){.offset = offset, .words = words, .reg = (uint8_t)reg};
}

static void check_same(const struct frame_entry *entry) {
  struct entry_description room;
  const struct frame_description *said = spgc_frame_entry_description(entry, &room);
  uint32_t next = 0;
  for (uint32_t i = 0; i < frame.base_count; i++)
    for (unsigned word = 0; word < bases[i].words; word++, next++) {
      ck_assert_uint_lt(next, said->base_count);
      struct location expected = bases[i];
      expected.words = 1;
      expected.offset += (int32_t)(word * WORD_SIZE);
      ck_assert(location_equal(&said->bases[next], &expected));
    }
  ck_assert_uint_eq(next, said->base_count);
  ck_assert_uint_eq(said->return_address.word, frame.return_address.word);
  ck_assert_uint_eq(said->id, frame.id);
  ck_assert_uint_eq(said->flags, frame.flags);
}

static void check_is_simple(void) {
  struct frame_entry entry;
  spgc_frame_entry_make(&frame, &entry);
  ck_assert(!frame_entry_is_described(&entry));
  check_same(&entry);
}

static void check_is_described(void) {
  struct frame_entry entry;
  spgc_frame_entry_make(&frame, &entry);
  ck_assert(frame_entry_is_described(&entry));
  ck_assert_ptr_eq(entry.description, &frame);
}

START_TEST(frames_without_references_are_simple) {
  start();
  check_is_simple();
}
END_TEST

START_TEST(all_registers_and_forty_eight_slots_fit) {
  start();
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++)
    add_register(origin_register((enum origin)i));
  for (int32_t i = 0; i < ENTRY_SLOT_WORDS; i++)
    add_slot(DWARF_STACK_POINTER, (i - 3) * WORD_SIZE, 1);
  check_is_simple();
}
END_TEST

START_TEST(vectors_are_words) {
  start();
  add_slot(DWARF_FRAME_POINTER, -72, 4);
  add_slot(DWARF_FRAME_POINTER, -32, 2);
  check_is_simple();
}
END_TEST

START_TEST(what_does_not_fit_is_described) {
  start();
  add_slot(DWARF_STACK_POINTER, 0, 1);
  add_slot(DWARF_STACK_POINTER, ENTRY_SLOT_WORDS * WORD_SIZE, 1);
  check_is_described();
  start();
  add_slot(DWARF_STACK_POINTER, 8, UINT16_MAX);
  check_is_described();
  start();
  add_slot(DWARF_FRAME_POINTER, -8, 1);
  add_slot(DWARF_STACK_POINTER, 8, 1);
  check_is_described();
  start();
  add_slot(origin_register((enum origin)0), 8, 1);
  check_is_described();
  start();
  add_slot(DWARF_STACK_POINTER, 12, 1);
  check_is_described();
  start();
  add_slot(DWARF_STACK_POINTER, (INT16_MAX + 1) * WORD_SIZE, 1);
  check_is_described();
  start();
  frame.derived_count = 1;
  check_is_described();
  start();
  frame.deopt_count = 1;
  check_is_described();
}
END_TEST

START_TEST(slots_at_the_ends_of_the_range_fit) {
  start();
  add_slot(DWARF_STACK_POINTER, INT16_MAX * WORD_SIZE, 1);
  check_is_simple();
  start();
  add_slot(DWARF_FRAME_POINTER, INT16_MIN * WORD_SIZE, 1);
  check_is_simple();
}
END_TEST

START_TEST(random_frames_are_said_as_they_are) {
  struct random random = random_start("random_frames_are_said_as_they_are");
  unsigned simple = 0;
  for (int i = 0; i < 4000; i++) {
    start();
    for (unsigned reg = 0; reg < 32; reg++)
      if (register_is_callee_saved(reg) && random_below(&random, 3) == 0)
        add_register(reg);
    unsigned origin = random_below(&random, 2) == 0 ? DWARF_STACK_POINTER : DWARF_FRAME_POINTER;
    int32_t word = (int32_t)random_below(&random, 40) - 20;
    for (unsigned slots = (unsigned)random_below(&random, 12); slots-- > 0;) {
      uint16_t words = (uint16_t)(1 + random_below(&random, 4));
      add_slot(origin, word * WORD_SIZE, words);
      word += words + (int32_t)random_below(&random, 5);
    }
    struct frame_entry entry;
    spgc_frame_entry_make(&frame, &entry);
    if (frame_entry_is_described(&entry))
      continue;
    simple++;
    check_same(&entry);
  }
  ck_assert_uint_gt(simple, 2000);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("frame-entry");
  TCase *tests = tcase_create("frame-entry");
  tcase_add_test(tests, frames_without_references_are_simple);
  tcase_add_test(tests, all_registers_and_forty_eight_slots_fit);
  tcase_add_test(tests, vectors_are_words);
  tcase_add_test(tests, what_does_not_fit_is_described);
  tcase_add_test(tests, slots_at_the_ends_of_the_range_fit);
  tcase_add_test(tests, random_frames_are_said_as_they_are);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
