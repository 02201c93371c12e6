#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontend-demo/runtime/string.h"
#include "tests/support/assertions.h"
#include "tests/support/check_main.h"
#include "tests/support/lox_running.h"

static void is_text(struct spgc_ref string, const char *bytes, size_t length) {
  ck_assert(lox_is_string(string));
  ck_assert_uint_eq(lox_string_length(string), length);
  ck_assert(memcmp(lox_string_bytes(string), bytes, length) == 0);
}

static void equality_body(void) {
  struct spgc_handle a = lox_text("an apple"), b = lox_text("an apple"), c = lox_text("an appla");
  ck_assert(!spgc_ref_equal(spgc_handle_get(a), spgc_handle_get(b)));
  ck_assert_uint_eq(lox_strings_equal(spgc_handle_get(a), spgc_handle_get(b)), 1);
  ck_assert_uint_eq(lox_strings_equal(spgc_handle_get(a), spgc_handle_get(c)), 0);
  struct spgc_ref list = lox_list_make(0);
  ck_assert_uint_eq(lox_strings_equal(spgc_handle_get(a), list), 0);
  ck_assert_uint_eq(lox_strings_equal(list, spgc_handle_get(a)), 0);
}

START_TEST(strings_are_equal_by_their_bytes) {
  lox_running(equality_body);
}
END_TEST

static void empty_body(void) {
  struct spgc_handle text = lox_text("text"), empty = lox_text("");
  struct spgc_ref left = lox_add_slow(spgc_handle_get(empty), spgc_handle_get(text));
  is_text(left, "text", 4);
  is_text(lox_add_slow(spgc_handle_get(text), spgc_handle_get(empty)), "text", 4);
  is_text(lox_add_slow(spgc_handle_get(empty), spgc_handle_get(empty)), "", 0);
  is_text(lox_string_make("a\0b", 3), "a\0b", 3);
}

START_TEST(empty_strings_and_zero_bytes_are_strings) {
  lox_running(empty_body);
}
END_TEST

enum { APPENDED = 3000 };

static void append_body(void) {
  static char expected[APPENDED];
  struct spgc_handle grown = lox_text(""), halfway = lox_text("");
  for (int i = 0; i < APPENDED; i++) {
    expected[i] = (char)('a' + i % 26);
    struct spgc_ref letter = lox_string_make(&expected[i], 1);
    spgc_handle_set(grown, lox_add_slow(spgc_handle_get(grown), letter));
    if (i == APPENDED / 2)
      spgc_handle_set(halfway, spgc_handle_get(grown));
  }
  is_text(spgc_handle_get(grown), expected, APPENDED);
  is_text(spgc_handle_get(halfway), expected, APPENDED / 2 + 1);
}

START_TEST(appending_leaves_earlier_values_alone) {
  lox_running(append_body);
}
END_TEST

static void branches_body(void) {
  char expected[301];
  memset(expected, 'x', sizeof expected);
  struct spgc_handle base = spgc_handle_make(lox_string_make(expected, 299));
  struct spgc_ref letter = lox_string_make("x", 1);
  spgc_handle_set(base, lox_add_slow(spgc_handle_get(base), letter));
  struct spgc_handle one =
      spgc_handle_make(lox_add_slow(spgc_handle_get(base), lox_string_make("1", 1)));
  struct spgc_handle two =
      spgc_handle_make(lox_add_slow(spgc_handle_get(base), lox_string_make("2", 1)));
  expected[300] = '1';
  is_text(spgc_handle_get(one), expected, 301);
  expected[300] = '2';
  is_text(spgc_handle_get(two), expected, 301);
}

START_TEST(two_strings_that_grow_from_one_do_not_share_their_ends) {
  lox_running(branches_body);
}
END_TEST

static void doubling_body(void) {
  struct spgc_handle text = lox_text("ab");
  for (int i = 0; i < 12; i++)
    spgc_handle_set(text, lox_add_slow(spgc_handle_get(text), spgc_handle_get(text)));
  ck_assert_uint_eq(lox_string_length(spgc_handle_get(text)), 2 << 12);
  for (int i = 0; i < 1 << 12; i++)
    ck_assert(memcmp(lox_string_bytes(spgc_handle_get(text)) + 2 * i, "ab", 2) == 0);
}

START_TEST(a_string_can_be_appended_to_itself) {
  lox_running(doubling_body);
}
END_TEST

enum { STRINGS = 24, STEPS = 4000, LENGTH_MAX = 6000 };

struct model {
  char *bytes;
  size_t length;
  struct spgc_handle string;
};

static void set_concatenation(struct model *to, const struct model *a, const struct model *b) {
  size_t length = a->length + b->length;
  char *bytes = malloc(length + 1);
  memcpy(bytes, a->bytes, a->length);
  memcpy(bytes + a->length, b->bytes, b->length);
  spgc_handle_set(to->string,
                  lox_string_concatenate(spgc_handle_get(a->string), spgc_handle_get(b->string)));
  free(to->bytes);
  to->bytes = bytes;
  to->length = length;
}

static void set_part(struct model *to, const struct model *from) {
  size_t start = (size_t)rand() % (from->length + 1);
  size_t end = start + (size_t)rand() % (from->length - start + 1);
  char *bytes = malloc(end - start + 1);
  memcpy(bytes, from->bytes + start, end - start);
  spgc_handle_set(to->string, lox_string_part(spgc_handle_get(from->string), start, end));
  free(to->bytes);
  to->bytes = bytes;
  to->length = end - start;
}

static void random_body(void) {
  struct model models[STRINGS];
  for (int i = 0; i < STRINGS; i++) {
    char text[] = {(char)('A' + i), (char)('a' + i), '\0'};
    models[i] = (struct model){strdup(text), 2, lox_text(text)};
  }
  for (int step = 0; step < STEPS; step++) {
    struct model *a = &models[rand() % STRINGS], *b = &models[rand() % STRINGS];
    struct model *to = rand() % 2 == 0 ? a : &models[rand() % STRINGS];
    if (a->length + b->length > LENGTH_MAX || rand() % 4 == 0)
      set_part(to, a);
    else
      set_concatenation(to, a, b);
    is_text(spgc_handle_get(to->string), to->bytes, to->length);
  }
  for (int i = 0; i < STRINGS; i++) {
    is_text(spgc_handle_get(models[i].string), models[i].bytes, models[i].length);
    free(models[i].bytes);
  }
}

START_TEST(random_concatenations_and_parts_match_a_model) {
  unsigned seed = (unsigned)time(NULL);
  fprintf(stderr, "seed %u\n", seed);
  srand(seed);
  lox_running(random_body);
}
END_TEST

static void add_string_to_number(void) {
  lox_add_slow(lox_string_make("text", 4), lox_number(1));
}

START_TEST(only_strings_are_concatenated) {
  lox_running_once_raises(add_string_to_number, "Operands must be two numbers or two strings.");
}
END_TEST

CHECK_MAIN_WITHIN(120, "lox-runtime-string", strings_are_equal_by_their_bytes,
                  empty_strings_and_zero_bytes_are_strings, appending_leaves_earlier_values_alone,
                  two_strings_that_grow_from_one_do_not_share_their_ends,
                  a_string_can_be_appended_to_itself, random_concatenations_and_parts_match_a_model,
                  only_strings_are_concatenated)
