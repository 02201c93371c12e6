/* What a function that walks a structure will visit next is prefetched, if that is asked for, where
 * the program reads it once its calls return. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

static struct spgc_lower_options options_at(unsigned optimisation) {
  struct spgc_lower_options options;
  struct spgc_error error;
  ck_assert_ok(spgc_llvm_initialise(&error), error);
  spgc_lower_options_default(&options);
  options.optimisation = optimisation;
  options.prefetch_recursion = true;
  return options;
}

static void load_prefetching(const char *name, unsigned optimisation) {
  struct spgc_lower_options options = options_at(optimisation);
  options.code = SPGC_CODE_JIT;
  struct spgc_error error;
  struct spgc_jit_object *object;
  char *text = compile_read(name);
  ck_assert_ok(spgc_jit_add(jit_world_jit, compile_object(text, &options), &object, &error), error);
  free(text);
}

START_TEST(what_a_recursion_changes_is_read_after_it) {
  jit_world_start(jit_world_hostile);
  jit_world_load_file("recursion.ll", (unsigned)_i);
  load_prefetching("prefetch.ll", (unsigned)_i);
  ck_assert_int_eq(jit_world_run("build_and_cut", 5), 6);
  ck_assert_uint_ge(jit_world_finish().moved_objects, 63);
  jit_world_stop();
}
END_TEST

/* A function that walks `n`, and how often it prefetches: a and b are the fields, "%a_at" and
 * "%b_at" their addresses.
 */
static void check_prefetches_with(const struct spgc_lower_options *options, const char *attribute,
                                  const char *walk, int times) {
  static const char form[] = "declare void @visit(ptr addrspace(1))\n"
                             "declare i1 @chance() \"gc-leaf-function\"\n"
                             "define void @f(ptr addrspace(1) %%n, ptr addrspace(1) %%m) noinline "
                             "%s gc \"statepoint-example\" {\n"
                             "  %%none = icmp eq ptr addrspace(1) %%n, null\n"
                             "  br i1 %%none, label %%done, label %%walk\n"
                             "walk:\n"
                             "  %%a_at = getelementptr i8, ptr addrspace(1) %%n, i64 8\n"
                             "  %%b_at = getelementptr i8, ptr addrspace(1) %%n, i64 16\n"
                             "%s"
                             "  br label %%done\n"
                             "done:\n"
                             "  ret void\n"
                             "}\n";
  char *text;
  ck_assert_int_ne(asprintf(&text, form, attribute, walk), -1);
  char *lowered = compile_lowered(text, options);
  ck_assert_times(lowered, "call void @llvm.prefetch.p1(", times);
  LLVMDisposeMessage(lowered);
  free(text);
}

static void check_prefetches_in(const char *attribute, unsigned optimisation, const char *walk,
                                int times) {
  const struct spgc_lower_options options = options_at(optimisation);
  check_prefetches_with(&options, attribute, walk, times);
}

static void check_prefetches_at(unsigned optimisation, const char *walk, int times) {
  check_prefetches_in("", optimisation, walk, times);
}

static void check_prefetches(const char *walk, int times) {
  check_prefetches_at(2, walk, times);
}

#define READ_A "  %a = load ptr addrspace(1), ptr addrspace(1) %a_at\n"
#define READ_B "  %b = load ptr addrspace(1), ptr addrspace(1) %b_at\n"
#define WALK(field) "  call void @f(ptr addrspace(1) %" field ", ptr addrspace(1) %m)\n"

START_TEST(what_is_walked_second_is_prefetched) {
  check_prefetches(READ_A WALK("a") READ_B WALK("b"), 1);
  check_prefetches(READ_A READ_B WALK("a") WALK("b"), 1);
  check_prefetches(READ_A READ_B WALK("a") WALK("b") WALK("b"), 1);
  check_prefetches_at(3, READ_A WALK("a") READ_B WALK("b"), 1);
}
END_TEST

START_TEST(what_is_walked_on_some_condition_is_prefetched) {
  check_prefetches(READ_A "  %a_none = icmp eq ptr addrspace(1) %a, null\n"
                          "  br i1 %a_none, label %second, label %walk_a\n"
                          "walk_a:\n" WALK("a") "  br label %second\n"
                                                "second:\n" READ_B
                                                "  %b_none = icmp eq ptr addrspace(1) %b, null\n"
                                                "  br i1 %b_none, label %end, label %walk_b\n"
                                                "walk_b:\n" WALK("b") "  br label %end\n"
                                                                      "end:\n",
                   1);
}
END_TEST

START_TEST(what_need_not_be_read_is_not_read_early) {
  check_prefetches(READ_A WALK("a") "  %again = call i1 @chance()\n"
                                    "  br i1 %again, label %walk_b, label %end\n"
                                    "walk_b:\n" READ_B WALK("b") "  br label %end\n"
                                                                 "end:\n",
                   0);
  check_prefetches(READ_A WALK("a") "  call void @visit(ptr addrspace(1) %n)\n" READ_B WALK("b"),
                   0);
}
END_TEST

START_TEST(what_is_walked_first_or_lies_elsewhere_is_not_prefetched) {
  check_prefetches(READ_A WALK("a"), 0);
  check_prefetches(READ_A WALK("a") WALK("m"), 0);
  check_prefetches(READ_A WALK("a") "  %b = load ptr addrspace(1), ptr addrspace(1) %m\n" WALK("b"),
                   0);
  check_prefetches("  br label %loop\n"
                   "loop:\n"
                   "  %o = phi ptr addrspace(1) [ %n, %walk ], [ %a, %loop ]\n"
                   "  %o_at = getelementptr i8, ptr addrspace(1) %o, i64 8\n"
                   "  %a = load ptr addrspace(1), ptr addrspace(1) %o_at\n" WALK(
                       "a") "  %again = call i1 @chance()\n"
                            "  br i1 %again, label %loop, label %end\n"
                            "end:\n",
                   0);
}
END_TEST

/* Objects need not have a field that is read after a call that never returns. */
START_TEST(nothing_is_prefetched_unless_it_is_asked_for) {
  for (unsigned optimisation = 0; optimisation <= 3; optimisation++) {
    struct spgc_lower_options options = options_at(optimisation);
    options.prefetch_recursion = false;
    check_prefetches_with(&options, "", READ_A WALK("a") READ_B WALK("b"), 0);
  }
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  ck_assert(!options.prefetch_recursion);
}
END_TEST

START_TEST(code_that_is_waited_for_prefetches_nothing) {
  check_prefetches_at(1, READ_A WALK("a") READ_B WALK("b"), 0);
}
END_TEST

START_TEST(code_for_size_prefetches_nothing) {
  check_prefetches_in("optsize", 2, READ_A WALK("a") READ_B WALK("b"), 0);
  check_prefetches_in("minsize", 2, READ_A WALK("a") READ_B WALK("b"), 0);
}
END_TEST

/* Its fields are walked one after the other, by a function of several thousand instructions. */
START_TEST(a_function_of_very_many_fields_prefetches_some) {
  enum { FIELDS = 2000, LINE = 192, MOST = 64 };
  char *walk = calloc(FIELDS, LINE);
  for (int i = 0, used = 0; i < FIELDS; i++)
    used += snprintf(walk + used, LINE,
                     "  %%p%d = getelementptr i8, ptr addrspace(1) %%n, i64 %d\n"
                     "  %%v%d = load ptr addrspace(1), ptr addrspace(1) %%p%d\n"
                     "  call void @f(ptr addrspace(1) %%v%d, ptr addrspace(1) %%m)\n",
                     i, 8 * (i + 1), i, i, i);
  check_prefetches(walk, MOST);
  free(walk);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-prefetch");
  TCase *tests = tcase_create("prefetch");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, what_a_recursion_changes_is_read_after_it, 0, 4);
  tcase_add_test(tests, what_is_walked_second_is_prefetched);
  tcase_add_test(tests, what_is_walked_on_some_condition_is_prefetched);
  tcase_add_test(tests, what_need_not_be_read_is_not_read_early);
  tcase_add_test(tests, what_is_walked_first_or_lies_elsewhere_is_not_prefetched);
  tcase_add_test(tests, nothing_is_prefetched_unless_it_is_asked_for);
  tcase_add_test(tests, code_that_is_waited_for_prefetches_nothing);
  tcase_add_test(tests, code_for_size_prefetches_nothing);
  tcase_add_test(tests, a_function_of_very_many_fields_prefetches_some);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
