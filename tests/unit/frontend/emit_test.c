#include <llvm-c/Analysis.h>
#include <stdbool.h>
#include <string.h>

#include "frontend-demo/emit/emit.h"
#include "spgc/lower.h"
#include "tests/support/assertions.h"
#include "tests/support/check_main.h"
#include "tests/support/lox_parsing.h"

/* Fails the test if LLVM or the lowering would refuse the text, which the caller disposes of. */
static char *emit(const char *source, struct lox_session *session) {
  struct lox_parsing parsing = lox_parsing_of_correct(source);
  struct lox_emit_options options = {.unit_symbol = "unit_under_test", .session = session};
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = lox_emit_module(context, parsing.program, &options);
  char *message = NULL;
  ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
  LLVMDisposeMessage(message);
  struct spgc_error error;
  ck_assert_msg(spgc_check_module(module, &error) == SPGC_OK, "%s", error.message);
  char *text = LLVMPrintModuleToString(module);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  lox_parsing_end(&parsing);
  return text;
}

static bool emits_within(struct lox_session *session, const char *source, const char *part) {
  char *text = emit(source, session);
  bool found = strstr(text, part) != NULL;
  LLVMDisposeMessage(text);
  return found;
}

static bool emits(const char *source, const char *part) {
  return emits_within(NULL, source, part);
}

START_TEST(a_unit_is_exported) {
  ck_assert(emits("print 1;", "@unit_under_test = dso_local constant"));
}
END_TEST

START_TEST(a_function_that_stays_itself_is_called_directly) {
  ck_assert(emits("fun f(n) { return n; } f(1);", "call ptr addrspace(1) @lox.f("));
  ck_assert(!emits("fun f(n) { return n; } f(1); f = 2;", "call ptr addrspace(1) @lox.f("));
  ck_assert(!emits("fun f(n) { return n; } f(1); fun f() {}", "call ptr addrspace(1) @lox.f("));
  ck_assert(emits("{ fun f(n) { return n; } f(1); }", "call ptr addrspace(1) @lox.f("));
}
END_TEST

/* Until its declaration runs, clock is the native function. */
START_TEST(a_function_called_before_its_declaration_is_looked_up) {
  ck_assert(
      !emits("fun g() { clock(); } g(); fun clock() {}", "call ptr addrspace(1) @lox.clock("));
}
END_TEST

START_TEST(known_results_are_not_tested) {
  ck_assert(!emits("fun f(n) { return -n; } print f(1) + 1;", "@lox_add_slow("));
  ck_assert(emits("fun f(n) { return -n; } print f(1) + 1; f = nil;", "@lox_add_slow("));
}
END_TEST

START_TEST(natives_that_stay_themselves_are_called_directly) {
  ck_assert(emits("clock();", "call ptr addrspace(1) @lox_native_clock("));
  ck_assert(!emits("clock(); clock = nil;", "@lox_native_clock("));
  ck_assert(!emits("clock(); fun clock() {}", "@lox_native_clock("));
  ck_assert(!emits("{ var clock = 1; clock(); }", "@lox_native_clock("));
  ck_assert(!emits("clock(1);", "@lox_native_clock("));
  ck_assert(emits("clock(1);", "@lox_error_call("));
}
END_TEST

START_TEST(the_length_of_a_list_is_read_in_line) {
  ck_assert(!emits("print len([1]);", "@lox_native_len("));
  ck_assert(!emits("print len([1]) + 1;", "@lox_add_slow("));
  ck_assert(emits("print len(nil);", "@lox_native_len("));
}
END_TEST

START_TEST(a_global_used_after_its_declaration_is_not_checked) {
  ck_assert(!emits("var a = 1; fun f() { return a; } print a;", "lox_error_undefined_variable"));
  ck_assert(emits("fun f() { return a; } var a = 1;", "lox_error_undefined_variable"));
  ck_assert(emits("a = 1; var a = 1;", "lox_error_undefined_variable"));
  ck_assert(emits("var a = a;", "lox_error_undefined_variable"));
}
END_TEST

START_TEST(numbers_in_locals_are_not_tested) {
  const char *loop =
      "fun f() { var s = 0; for (var i = 0; i < 9; i = i + 1) s = s + i * 2; return s; }";
  ck_assert(!emits(loop, "lox_add_slow"));
  ck_assert(emits(loop, "alloca double"));
  ck_assert(emits("fun f(a, b) { return a + b; }", "call ptr addrspace(1) @lox_add_slow"));
}
END_TEST

START_TEST(only_captured_variables_that_change_have_cells) {
  ck_assert(!emits("fun f(n) { fun g() { return n; } return g; }", "lox_cell_type"));
  ck_assert(emits("fun f(n) { fun g() { return n; } n = 2; return g; }", "lox_cell_type"));
  ck_assert(emits("fun f(n) { fun g() { n = n + 1; } return g; }", "lox_cell_type"));
  ck_assert(!emits("fun f(n) { n = 2; return n; }", "lox_cell_type"));
}
END_TEST

START_TEST(call_sites_name_their_function_and_line) {
  ck_assert(emits("fun f() {\n  print 1;\n}", "\"statepoint-id\"=\"4294967298\""));
}
END_TEST

START_TEST(a_session_defines_each_global_once) {
  struct lox_session *session = lox_session_create();
  ck_assert(emits_within(session, "var a = 1;", "@lox_global_a = global"));
  ck_assert(emits_within(session, "print a;", "@lox_global_a = external global"));
  ck_assert(emits_within(session, "print b;", "@lox_global_b = global"));
  lox_session_free(session);
}
END_TEST

START_TEST(a_session_numbers_functions_on) {
  struct lox_session *session = lox_session_create();
  ck_assert(emits_within(session, "fun f() {}\nprint 1;", "\"statepoint-id\"=\"2\""));
  ck_assert(emits_within(session, "print 1;", "\"statepoint-id\"=\"8589934593\""));
  lox_session_free(session);
}
END_TEST

/* Another may have assigned to f. */
START_TEST(a_session_calls_no_global_function_directly) {
  struct lox_session *session = lox_session_create();
  ck_assert(
      !emits_within(session, "fun f(n) { return n; } f(1);", "call ptr addrspace(1) @lox.f("));
  ck_assert(!emits_within(session, "clock();", "@lox_native_clock("));
  lox_session_free(session);
}
END_TEST

CHECK_MAIN("lox-emit", a_unit_is_exported, a_function_that_stays_itself_is_called_directly,
           a_function_called_before_its_declaration_is_looked_up, known_results_are_not_tested,
           natives_that_stay_themselves_are_called_directly, the_length_of_a_list_is_read_in_line,
           a_global_used_after_its_declaration_is_not_checked, numbers_in_locals_are_not_tested,
           only_captured_variables_that_change_have_cells, call_sites_name_their_function_and_line,
           a_session_defines_each_global_once, a_session_numbers_functions_on,
           a_session_calls_no_global_function_directly)
