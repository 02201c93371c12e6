#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

enum { LEVELS = 4, MOST = 9 };

/* Inlining ends at another number of calls each time. */
static void check_short_calls(void) {
  for (int64_t n = 0; n <= MOST; n++) {
    ck_assert_int_eq(jit_world_run("calls_of", n), n + 1);
    jit_world_finish();
    ck_assert_int_eq(jit_world_run("ends_of", n), INT64_C(1) << n);
    jit_world_finish();
    ck_assert_int_eq(jit_world_run("chain_and_sum", n), n * (n + 1) / 2);
    jit_world_finish();
  }
}

START_TEST(short_calls_do_once_what_they_did) {
  jit_world_start("verify=full");
  jit_world_load_file("leaf_entry.ll", (unsigned)_i);
  check_short_calls();
  jit_world_stop();
}
END_TEST

/* Every poll stops, and every area is full. */
START_TEST(what_short_calls_are_given_moves) {
  jit_world_start(jit_world_hostile);
  jit_world_load_file("leaf_entry.ll", (unsigned)_i);
  check_short_calls();
  ck_assert_int_eq(jit_world_run("chain_and_sum", MOST), MOST * (MOST + 1) / 2);
  ck_assert_uint_ge(jit_world_finish().moved_objects, MOST);
  jit_world_stop();
}
END_TEST

START_TEST(short_calls_find_areas_full) {
  enum { LONG = 2000, TIMES = 40 };
  jit_world_start("nursery=32k,verify=full");
  jit_world_load_file("leaf_entry.ll", (unsigned)_i);
  for (int i = 0; i < TIMES; i++) {
    ck_assert_int_eq(jit_world_run("chain_and_sum", LONG), LONG * (LONG + 1) / 2);
    ck_assert_uint_ge(jit_world_finish().minor_collections, (uint64_t)i);
  }
  jit_world_stop();
}
END_TEST

static void check_leaf_entry(const char *function, unsigned optimisation, int times) {
  char *lowered = compile_lowered_at(function, optimisation);
  ck_assert_times(lowered, "@spgc.leaf.f(i64 %0, ptr addrspace(1) %1", times);
  LLVMDisposeMessage(lowered);
}

/* `%s`: the function's attributes, and what it does first. */
#define WALK                                                                                       \
  "@total = global i64 0\n"                                                                        \
  "declare void @visit(i64)\n"                                                                     \
  "define %s void @f(i64 %%n, ptr addrspace(1) %%some %s) %s gc \"statepoint-example\" {\n"        \
  "%s"                                                                                             \
  "  %%none = icmp eq i64 %%n, 0\n"                                                                \
  "  br i1 %%none, label %%end, label %%more\n"                                                    \
  "more:\n"                                                                                        \
  "  %%less = sub i64 %%n, 1\n"                                                                    \
  "  call void @f(i64 %%less, ptr addrspace(1) %%some %s)\n"                                       \
  "  call void @visit(i64 %%n)\n"                                                                  \
  "  call void @f(i64 %%less, ptr addrspace(1) %%some %s)\n"                                       \
  "  br label %%end\n"                                                                             \
  "end:\n"                                                                                         \
  "  ret void\n"                                                                                   \
  "}\n"

static void check_walk(const char *linkage, const char *attributes, const char *first, int times) {
  char *text;
  ck_assert_int_ne(asprintf(&text, WALK, linkage, "", attributes, first, "", ""), -1);
  check_leaf_entry(text, 2, times);
  check_leaf_entry(text, 1, 0);
  free(text);
}

START_TEST(a_call_that_may_return_at_once_goes_to_a_leaf_entry) {
  check_walk("", "", "", 1);
  check_walk("internal", "", "", 0); /* nobody calls it */
  check_walk("", "", "  %old = load i64, ptr @total\n", 1);
}
END_TEST

START_TEST(what_must_not_be_done_twice_has_no_leaf_entry) {
  check_walk("", "", "  store i64 1, ptr @total\n", 0);
  check_walk("", "", "  %old = load volatile i64, ptr @total\n", 0);
  check_walk("", "", "  call void @visit(i64 0)\n", 0);
  check_walk("", "", "  %old = atomicrmw add ptr @total, i64 1 seq_cst\n", 0);
}
END_TEST

START_TEST(functions_that_are_not_to_be_copied_have_no_leaf_entry) {
  check_walk("weak", "", "", 0);
  check_walk("", "noinline", "", 0);
  check_walk("", "optsize", "", 0);
}
END_TEST

START_TEST(parameters_on_the_stack_are_not_lost) {
  char *text;
  ck_assert_int_ne(asprintf(&text, WALK, "", ", i64 %a, i64 %b, i64 %c, i64 %d", "", "",
                            ", i64 %d, i64 %c, i64 %b, i64 %a", ", i64 1, i64 2, i64 3, i64 %n"),
                   -1);
  check_leaf_entry(text, 2, 1);
  free(text);
  ck_assert_int_ne(asprintf(&text, WALK, "", ", i64 %a, i64 %b, i64 %c, i64 %d, i64 %e", "", "",
                            ", i64 %d, i64 %c, i64 %b, i64 %a, i64 %e",
                            ", i64 1, i64 2, i64 3, i64 %n, i64 4"),
                   -1);
  check_leaf_entry(text, 2, 0);
  free(text);
  ck_assert_int_ne(asprintf(&text, WALK, "", ", i128 %a, <4 x double> %b", "", "",
                            ", i128 %a, <4 x double> %b", ", i128 0, <4 x double> %b"),
                   -1);
  check_leaf_entry(text, 2, 1);
  free(text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-leaf-entry");
  TCase *tests = tcase_create("leaf-entry");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, short_calls_do_once_what_they_did, 0, LEVELS);
  tcase_add_loop_test(tests, what_short_calls_are_given_moves, 0, LEVELS);
  tcase_add_loop_test(tests, short_calls_find_areas_full, 0, LEVELS);
  tcase_add_test(tests, a_call_that_may_return_at_once_goes_to_a_leaf_entry);
  tcase_add_test(tests, what_must_not_be_done_twice_has_no_leaf_entry);
  tcase_add_test(tests, functions_that_are_not_to_be_copied_have_no_leaf_entry);
  tcase_add_test(tests, parameters_on_the_stack_are_not_lost);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
