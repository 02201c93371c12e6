#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/native.h"
#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/run.h"
#include "frontend-demo/runtime/string.h"
#include "spgc/heap.h"
#include "spgc/module.h"
#include "spgc/thread.h"
#include "tests/support/assertions.h"
#include "tests/support/check_main.h"
#include "tests/support/lox_running.h"

enum { GREETING, NOTHING_NAMED, LEN, ROOTS };

static struct spgc_ref roots[ROOTS];
static const struct spgc_global_roots root_run = {roots, ROOTS};
static struct spgc_module module = {
    .version = SPGC_MODULE_VERSION, .roots = &root_run, .root_count = 1, .name = "unit"};

static struct spgc_ref script(struct spgc_ref callee) {
  ck_assert(lox_is_nil(callee));
  lox_native_gc(lox_nil());
  lox_shows(roots[GREETING], "greeting");
  ck_assert(lox_is_nothing(roots[NOTHING_NAMED]));
  lox_shows(roots[LEN], "<native fn>");
  roots[NOTHING_NAMED] = lox_list_make(1);
  return lox_nil();
}

static struct spgc_ref second_script(struct spgc_ref callee) {
  lox_native_gc(lox_nil());
  lox_shows(roots[NOTHING_NAMED], "[nil]");
  ck_assert(lox_to_double(roots[LEN]) == 5);
  lox_error("Wrong in %s.", "unit");
}

START_TEST(units_get_their_literals_and_natives_and_keep_their_globals) {
  static const struct lox_string_literal strings[] = {{"greeting", 8, &roots[GREETING]}};
  static const struct lox_global_variable globals[] = {{"unnamed", 7, &roots[NOTHING_NAMED]},
                                                       {"len", 3, &roots[LEN]}};
  static const char *const names[] = {"script"};
  const struct lox_unit unit = {.script = (void *)script,
                                .strings = strings,
                                .string_count = 1,
                                .globals = globals,
                                .global_count = 2,
                                .function_names = names,
                                .function_count = 1};
  const struct lox_unit second = {.script = (void *)second_script,
                                  .globals = globals,
                                  .global_count = 2,
                                  .function_names = names,
                                  .function_count = 1,
                                  .first_function = 1};
  struct spgc_error error;
  ck_assert_int_eq(spgc_module_register(&module, 0, &error), SPGC_OK);
  lox_running_start();
  ck_assert_int_eq(lox_run_unit(&unit), 0);
  roots[LEN] = lox_number(5);
  ck_assert_int_eq(lox_run_unit(&second), LOX_EXIT_RUNTIME_ERROR);
  lox_running_stop();
}
END_TEST

static void fail_within_scopes(void) {
  for (int i = 0; i < 100; i++) {
    spgc_scope_open();
    lox_text("kept by nobody");
  }
  lox_error("Failed.");
}

static void count_handles(void) {
  ck_assert_uint_eq(spgc_scope_open().height, 0);
  lox_error("Counted.");
}

START_TEST(an_error_ends_the_run_and_its_scopes_but_not_the_runtime) {
  lox_running_start();
  for (int i = 0; i < 20; i++)
    lox_running_raises(fail_within_scopes, "Failed.");
  lox_running_raises(count_handles, "Counted.");
  lox_running_stop();
}
END_TEST

static void fill_memory(void) {
  struct spgc_handle list = spgc_handle_make(lox_list_make(0));
  for (;;) {
    struct spgc_ref item = lox_list_make(1000);
    lox_list_push(spgc_handle_get(list), item);
  }
}

static void ask_for_too_much(void) {
  lox_list_make(UINT64_C(1) << 40);
}

static void work_on(void) {
  lox_shows(lox_list_make(1), "[nil]");
}

START_TEST(running_out_of_memory_is_a_runtime_error) {
  struct spgc_options heap;
  spgc_options_default(&heap);
  heap.heap_limit = 16 << 20;
  struct lox_runtime_options options = {.heap = &heap};
  struct spgc_error error;
  ck_assert_msg(lox_runtime_start(&options, &error) == SPGC_OK, "%s", error.message);
  for (int i = 0; i < 3; i++) {
    if (!lox_running_under_stress())
      lox_running_raises(fill_memory, "Out of memory.");
    lox_running_raises(ask_for_too_much, "Out of memory.");
  }
  lox_running_stop();
  lox_running(work_on);
}
END_TEST

static size_t depth_reached(uintptr_t limit) {
  volatile char frame[4096];
  frame[0] = 1;
  return (uintptr_t)frame < limit ? (size_t)frame[0] : depth_reached(limit) + (size_t)frame[0];
}

static void deep_body(void) {
  ck_assert_uint_gt(depth_reached(spgc_thread.stack_limit), 200);
  lox_error_stack_overflow();
}

START_TEST(the_stack_can_be_used_down_to_its_limit) {
  lox_running_once_raises(deep_body, "Stack overflow.");
}
END_TEST

static int show_arguments(void *context) {
  lox_shows(lox_native_args(lox_nil()), "[one, , two words]");
  return 3;
}

START_TEST(programs_see_their_arguments) {
  char *arguments[] = {"one", "", "two words"};
  struct lox_runtime_options options = {.argument_count = 3, .arguments = arguments};
  ck_assert_int_eq(lox_runtime_start(&options, NULL), SPGC_OK);
  ck_assert_int_eq(lox_run(show_arguments, NULL), 3);
  ck_assert_int_eq(lox_runtime_stop(3), 3);
}
END_TEST

START_TEST(a_wrong_heap_option_is_an_error_that_leaves_nothing_started) {
  setenv("SPGC_OPTIONS", "stress=sometimes", 1);
  struct lox_runtime_options options = {.argument_count = 0};
  struct spgc_error error;
  ck_assert_int_eq(lox_runtime_start(&options, &error), SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.message, "sometimes"));
  unsetenv("SPGC_OPTIONS");
  lox_running(work_on);
}
END_TEST

static void interrupt_before_reading(void) {
  raise(SIGINT);
  lox_native_read_line(lox_nil());
}

static void read_a_line(void) {
  struct spgc_handle line = spgc_handle_make(lox_native_read_line(lox_nil()));
  lox_native_gc(lox_nil());
  lox_shows(spgc_handle_get(line), "typed");
}

START_TEST(an_interrupt_that_comes_before_the_wait_for_input_ends_the_run) {
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  struct lox_runtime_options options = {.is_interruptible = true};
  ck_assert_int_eq(lox_runtime_start(&options, NULL), SPGC_OK);
  for (int i = 0; i < 3; i++) {
    lox_running_raises(interrupt_before_reading, "Interrupted.");
    ck_assert_int_eq(write(ends[1], "typed\n", 6), 6);
    lox_running_body(read_a_line);
  }
  lox_running_stop();
}
END_TEST

START_TEST(lost_output_changes_the_exit_code) {
  lox_running_start();
  ck_assert_ptr_nonnull(freopen("/dev/full", "w", stdout));
  lox_print(lox_number(1));
  ck_assert_int_eq(lox_runtime_stop(0), LOX_EXIT_IO);
}
END_TEST

START_TEST(the_summary_has_five_lines) {
  setenv("LOX_GC_STATS", "1", 1);
  FILE *captured = tmpfile();
  int kept = dup(STDERR_FILENO);
  dup2(fileno(captured), STDERR_FILENO);
  lox_running(work_on);
  dup2(kept, STDERR_FILENO);
  rewind(captured);
  char line[256];
  int lines = 0;
  uint64_t total, minor, final, full;
  while (fgets(line, sizeof line, captured) != NULL) {
    if (strncmp(line, "spgc: seed", 10) == 0)
      continue;
    ck_assert_int_eq(strncmp(line, "gc: ", 4), 0);
    if (++lines == 1) {
      ck_assert_int_eq(sscanf(line, "gc: collections: %lu (%lu minor, %lu final-mark, %lu full)",
                              &total, &minor, &final, &full),
                       4);
      ck_assert_uint_eq(total, minor + final + full);
    }
  }
  fclose(captured);
  ck_assert_int_eq(lines, 5);
}
END_TEST

CHECK_MAIN_WITHIN(120, "lox-runtime-run",
                  units_get_their_literals_and_natives_and_keep_their_globals,
                  an_error_ends_the_run_and_its_scopes_but_not_the_runtime,
                  running_out_of_memory_is_a_runtime_error, the_stack_can_be_used_down_to_its_limit,
                  programs_see_their_arguments,
                  an_interrupt_that_comes_before_the_wait_for_input_ends_the_run,
                  a_wrong_heap_option_is_an_error_that_leaves_nothing_started,
                  lost_output_changes_the_exit_code, the_summary_has_five_lines)
