#include <stdio.h>
#include <stdlib.h>

#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

START_TEST(functions_inlined_in_themselves_do_what_they_did) {
  jit_world_start(jit_world_hostile);
  jit_world_load_file("recursion.ll", (unsigned)_i);
  ck_assert_int_eq(jit_world_run("build_and_sum", 5), 57); /* 5·1 + 4·2 + 3·4 + 2·8 + 1·16 + 0·32 */
  ck_assert_uint_ge(jit_world_finish().moved_objects, 63);
  ck_assert_int_eq(jit_world_run("ackermann_of_2", 9), 21);
  ck_assert_uint_ge(jit_world_finish().registers_rewritten, 1);
  jit_world_stop();
}
END_TEST

static void check_calls(const char *text, const char *call, unsigned optimisation, int times) {
  char *lowered = compile_lowered_at(text, optimisation);
  ck_assert_times(lowered, call, times);
  ck_assert_times(lowered, "@spgc.recursion", 0);
  LLVMDisposeMessage(lowered);
}

START_TEST(a_function_is_inlined_in_itself_three_times) {
  char *text = compile_read("recursion.ll");
  check_calls(text, "elementtype(ptr addrspace(1) (i64)) @build", 1, 3);
  check_calls(text, "elementtype(ptr addrspace(1) (i64)) @spgc.leaf.build", 2, 16);
  check_calls(text, "elementtype(ptr addrspace(1) (i64)) @build", 2, 1); /* build_and_sum does */
  free(text);
}
END_TEST

static void check_kept(const char *linkage, const char *attributes, const char *call_attributes) {
  char *text;
  ck_assert_int_ne(
      asprintf(&text,
               "declare void @visit(ptr addrspace(1))\n"
               "define %s void @f(ptr addrspace(1) %%list) %s gc \"statepoint-example\" {\n"
               "  call void @visit(ptr addrspace(1) %%list)\n"
               "  %%next = load ptr addrspace(1), ptr addrspace(1) %%list\n"
               "  call void @f(ptr addrspace(1) %%next) %s\n"
               "  call void @visit(ptr addrspace(1) %%next)\n"
               "  ret void\n"
               "}\n",
               linkage, attributes, call_attributes),
      -1);
  check_calls(text, "elementtype(void (ptr addrspace(1))) @visit", 2, 2);
  free(text);
}

START_TEST(frames_that_somebody_would_miss_are_kept) {
  check_kept("", "noinline", "");
  check_kept("", "optsize", "");
  check_kept("weak", "", "");
  check_kept("", "", "noinline");
  check_kept("", "", "noduplicate");
  check_kept("", "noduplicate", "");
  check_kept("", "", "\"statepoint-id\"=\"7\"");
  check_kept("", "", "[ \"deopt\"(i32 1) ]");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-recursion");
  TCase *tests = tcase_create("recursion");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, functions_inlined_in_themselves_do_what_they_did, 0, 4);
  tcase_add_test(tests, a_function_is_inlined_in_itself_three_times);
  tcase_add_test(tests, frames_that_somebody_would_miss_are_kept);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
