#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend-demo/runtime/native.h"
#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/string.h"
#include "spgc/heap.h"
#include "tests/support/assertions.h"
#include "tests/support/check_main.h"
#include "tests/support/lox_running.h"

static struct spgc_ref native(const char *name) {
  return lox_native_value(name, strlen(name));
}

static struct spgc_ref text(const char *bytes) {
  return lox_string_make(bytes, strlen(bytes));
}

static void lookup_body(void) {
  struct spgc_ref len = native("len");
  ck_assert(lox_is_kind(len, LOX_OBJECT_NATIVE));
  ck_assert(spgc_ref_equal(len, native("len")) && !spgc_ref_equal(len, native("push")));
  ck_assert_uint_eq(lox_type_of(len)->call_key, 1);
  ck_assert_ptr_eq(lox_type_of(len)->code, (void *)lox_native_len);
  ck_assert(lox_is_nothing(native("le")) && lox_is_nothing(native("lens")) &&
            lox_is_nothing(native("")));
  ck_assert(lox_native_exists("substring", 9) && !lox_native_exists("substring", 8));
  lox_shows(len, "<native fn>");
  struct spgc_handle alive = lox_text("alive");
  spgc_collect(SPGC_COLLECTION_FULL);
  lox_shows(spgc_handle_get(alive), "alive");
}

START_TEST(natives_are_found_by_name) {
  lox_running(lookup_body);
}
END_TEST

static void text_body(void) {
  struct spgc_handle word = lox_text("word");
  ck_assert(lox_to_double(lox_native_len(lox_nil(), spgc_handle_get(word))) == 4);
  lox_shows(lox_native_char_at(lox_nil(), spgc_handle_get(word), lox_number(1)), "o");
  lox_shows(lox_native_substring(lox_nil(), spgc_handle_get(word), lox_number(1), lox_number(3)),
            "or");
  lox_shows(lox_native_substring(lox_nil(), spgc_handle_get(word), lox_number(4), lox_number(4)),
            "");
  lox_shows(lox_native_substring(lox_nil(), spgc_handle_get(word), lox_number(0), lox_number(4)),
            "word");
  ck_assert(lox_is_string(lox_native_to_string(lox_nil(), lox_number(1.5))));
  lox_shows(lox_native_to_string(lox_nil(), lox_number(1.5)), "1.5");
  lox_shows(lox_native_to_string(lox_nil(), lox_nil()), "nil");
  lox_shows(lox_native_to_string(lox_nil(), spgc_handle_get(word)), "word");
  lox_shows(lox_native_to_string(lox_nil(), lox_list_make(2)), "[nil, nil]");
  ck_assert(lox_to_double(lox_native_to_number(lox_nil(), text("-12.5"))) == -12.5);
  ck_assert(lox_is_nil(lox_native_to_number(lox_nil(), text("12 apples"))));
  ck_assert(lox_is_nil(lox_native_to_number(lox_nil(), text(""))));
}

START_TEST(natives_on_strings_answer) {
  lox_running(text_body);
}
END_TEST

static void list_body(void) {
  struct spgc_handle list = spgc_handle_make(lox_list_make(0));
  for (int i = 0; i < 20; i++) {
    struct spgc_ref item = lox_native_to_string(lox_nil(), lox_number(i + 0.5));
    lox_native_push(lox_nil(), spgc_handle_get(list), item);
  }
  ck_assert(lox_to_double(lox_native_len(lox_nil(), spgc_handle_get(list))) == 20);
  lox_shows(lox_native_pop(lox_nil(), spgc_handle_get(list)), "19.5");
  ck_assert(lox_to_double(lox_native_len(lox_nil(), spgc_handle_get(list))) == 19);
}

START_TEST(natives_on_lists_answer) {
  lox_running(list_body);
}
END_TEST

static void file_body(void) {
  char path[] = "/tmp/lox-native-XXXXXX";
  int file = mkstemp(path);
  ck_assert_int_ge(file, 0);
  ck_assert_int_eq(write(file, "one\0two\n", 8), 8);
  close(file);
  struct spgc_handle content = spgc_handle_make(lox_native_read_file(lox_nil(), text(path)));
  ck_assert_uint_eq(lox_string_length(spgc_handle_get(content)), 8);
  ck_assert_mem_eq(lox_string_bytes(spgc_handle_get(content)), "one\0two\n", 8);
  unlink(path);
  ck_assert(lox_is_nil(lox_native_read_file(lox_nil(), text(path))));
  ck_assert(lox_is_nil(lox_native_read_file(lox_nil(), text("/"))));
  ck_assert(lox_is_nil(lox_native_read_file(lox_nil(), lox_string_make("/dev/null\0x", 11))));
  lox_shows(lox_native_read_file(lox_nil(), text("/dev/null")), "");
}

START_TEST(files_are_read_whole_or_not_at_all) {
  lox_running(file_body);
}
END_TEST

static void line_body(void) {
  lox_shows(lox_native_read_line(lox_nil()), "first");
  lox_shows(lox_native_read_line(lox_nil()), "");
  lox_shows(lox_native_read_line(lox_nil()), "last");
  ck_assert(lox_is_nil(lox_native_read_line(lox_nil())));
  struct spgc_handle alive = lox_text("alive");
  lox_native_gc(lox_nil());
  lox_shows(spgc_handle_get(alive), "alive");
}

START_TEST(lines_are_read_until_the_end) {
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  ck_assert_int_eq(write(ends[1], "first\n\nlast", 11), 11);
  close(ends[1]);
  dup2(ends[0], STDIN_FILENO);
  lox_running(line_body);
}
END_TEST

static void collect_body(void) {
  struct spgc_handle text_handle = lox_text("survivor");
  uintptr_t before = spgc_handle_get(text_handle).word;
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  uint64_t collections = statistics.full_collections;
  lox_native_gc(lox_nil());
  spgc_statistics_read(&statistics);
  ck_assert_uint_eq(statistics.full_collections, collections + 1);
  ck_assert_uint_ne(spgc_handle_get(text_handle).word, before);
  lox_shows(spgc_handle_get(text_handle), "survivor");
  ck_assert(lox_to_double(lox_native_clock(lox_nil())) <=
            lox_to_double(lox_native_clock(lox_nil())));
}

START_TEST(gc_collects_and_moves) {
  lox_running(collect_body);
}
END_TEST

static void len_of_number(void) {
  lox_native_len(lox_nil(), lox_number(1));
}
static void push_to_string(void) {
  lox_native_push(lox_nil(), text("text"), lox_nil());
}
static void pop_of_nil(void) {
  lox_native_pop(lox_nil(), lox_nil());
}
static void pop_of_empty(void) {
  lox_native_pop(lox_nil(), lox_list_make(0));
}
static void substring_of_list(void) {
  lox_native_substring(lox_nil(), lox_list_make(0), lox_number(0), lox_number(0));
}
static void substring_backwards(void) {
  lox_native_substring(lox_nil(), text("text"), lox_number(3), lox_number(2));
}
static void substring_too_long(void) {
  lox_native_substring(lox_nil(), text("text"), lox_number(0), lox_number(5));
}
static void substring_of_fraction(void) {
  lox_native_substring(lox_nil(), text("text"), lox_number(0.5), lox_number(2));
}
static void char_beyond(void) {
  lox_native_char_at(lox_nil(), text("text"), lox_number(4));
}
static void char_at_nil(void) {
  lox_native_char_at(lox_nil(), text("text"), lox_nil());
}
static void number_of_number(void) {
  lox_native_to_number(lox_nil(), lox_number(1));
}
static void file_of_number(void) {
  lox_native_read_file(lox_nil(), lox_number(1));
}

START_TEST(wrong_arguments_are_runtime_errors) {
  lox_running_start();
  lox_running_raises(len_of_number, "Argument of 'len' must be a list or a string.");
  lox_running_raises(push_to_string, "Argument of 'push' must be a list.");
  lox_running_raises(pop_of_nil, "Argument of 'pop' must be a list.");
  lox_running_raises(pop_of_empty, "Can't pop from an empty list.");
  lox_running_raises(substring_of_list, "Argument of 'substring' must be a string.");
  lox_running_raises(substring_backwards, "String index out of range.");
  lox_running_raises(substring_too_long, "String index out of range.");
  lox_running_raises(substring_of_fraction, "String index must be an integer.");
  lox_running_raises(char_beyond, "String index out of range.");
  lox_running_raises(char_at_nil, "String index must be an integer.");
  lox_running_raises(number_of_number, "Argument of 'to_number' must be a string.");
  lox_running_raises(file_of_number, "Argument of 'read_file' must be a string.");
  lox_running_stop();
}
END_TEST

CHECK_MAIN_WITHIN(120, "lox-runtime-native", natives_are_found_by_name, natives_on_strings_answer,
                  natives_on_lists_answer, files_are_read_whole_or_not_at_all,
                  lines_are_read_until_the_end, gc_collects_and_moves,
                  wrong_arguments_are_runtime_errors)
