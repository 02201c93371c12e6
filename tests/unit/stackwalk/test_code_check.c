#include <stdlib.h>
#include <string.h>

#include "spgc/stackmap.h"
#include "stackwalk/code_check.h"
#include "stackwalk/loaded_maps.h"
#include "stackwalk/machine_frame.h"
#include "tests/support/stackmap_builder.h"
#include "tests/support/stackmap_frames.h"
#include "tests/support/suite.h"

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

void collect(void);
void collect_below_c_frames(void);
void call_through_c(void);

void collect(void) {
  abort();
}

void collect_below_c_frames(void) {
  abort();
}

void call_through_c(void) {
  abort();
}

static struct stackmap_contents contents;

static size_t section_size(void) {
  return (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
}

static void read_maps(void) {
  const struct record_owner_source unknown = {0};
  struct spgc_error error;
  ck_assert_int_eq(
      stackmap_frames_read(__start_test_stackmaps, section_size(), &unknown, &contents, &error),
      SPGC_OK);
}

static void free_maps(void) {
  spgc_stackmap_contents_free(&contents);
}

START_TEST(code_as_it_was_linked_is_right) {
  struct spgc_stackmap *map;
  struct spgc_error error;
  enum spgc_result result =
      spgc_stackmap_register_loaded(__start_test_stackmaps, section_size(), &map, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  spgc_stackmap_unregister(map);
}
END_TEST

static enum spgc_result register_call(uintptr_t function, uintptr_t return_address) {
  struct stackmap_builder builder = {0};
  struct spgc_stackmap *map;
  struct spgc_error error;
  builder_header(&builder, 3, 1, 0, 1);
  builder_function(&builder, function, 8, 1);
  builder_statepoint(&builder, 1, (uint32_t)(return_address - function), NULL, 0);
  enum spgc_result result =
      spgc_stackmap_register_loaded(builder.bytes, builder.size, &map, &error);
  builder_free(&builder);
  if (result == SPGC_OK)
    spgc_stackmap_unregister(map);
  else if (strstr(error.message, "split or rewritten after the link") == NULL)
    ck_abort_msg("%s", error.message);
  return result;
}

static bool is_described(uintptr_t address) {
  const struct frame_description *frames = contents.frames.data;
  for (size_t i = 0; i < contents.frames.count; i++)
    if (frames[i].return_address.word == address)
      return true;
  return false;
}

/* Tries every address of every function. Others that are accepted follow a call of a leaf, or bytes
 * that could be one. */
START_TEST(moved_calls_are_refused) {
  const struct function_address *functions = contents.functions.data;
  size_t calls = 0, others = 0, wrong = 0;
  for (size_t i = 0; i < contents.functions.count; i++) {
    struct function_code code = spgc_function_code(functions[i]);
    ck_assert_uint_eq(code.start, functions[i].word);
    for (uintptr_t address = code.start; address <= code.end + 64; address++) {
      bool accepted = register_call(functions[i].word, address) == SPGC_OK;
      bool described = address > code.start && address <= code.end && is_described(address);
      calls += described && accepted;
      others += !described;
      wrong += !described && accepted;
      if (described && !accepted)
        ck_abort_msg("function %zu: its call to 0x%zx was refused", i, (size_t)address);
      if (accepted && address > code.end)
        ck_abort_msg("function %zu: a call beyond its end was accepted", i);
    }
  }
  ck_assert_uint_ge(calls, contents.frames.count);
  ck_assert_uint_lt(wrong, others / 50);
}
END_TEST

/* The map lists an address inside another function. */
START_TEST(a_function_inside_another_one_is_refused) {
  const struct frame_description *frames = contents.frames.data;
  const struct function_address *functions = contents.functions.data;
  for (size_t i = 0; i < contents.frames.count && i < contents.functions.count; i++)
    if (functions[0].word + 1 < frames[i].return_address.word)
      ck_assert_int_eq(register_call(functions[0].word + 1, frames[i].return_address.word),
                       SPGC_ERROR_MALFORMED);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("code check");
  TCase *tests = tcase_create("code check");
  tcase_set_timeout(tests, 60);
  tcase_add_checked_fixture(tests, read_maps, free_maps);
  tcase_add_test(tests, code_as_it_was_linked_is_right);
  tcase_add_test(tests, moved_calls_are_refused);
  tcase_add_test(tests, a_function_inside_another_one_is_refused);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
