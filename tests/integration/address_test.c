/* Each cast and ordered comparison reads the reference at its place in the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/compile.h"
#include "tests/support/suite.h"

enum { LEVELS = 4 };

static const char cast[] = "ptrtoint ptr addrspace(1) %";

static char *lower(const char *body, unsigned level) {
  char *text;
  ck_assert_int_ne(asprintf(&text,
                            "declare void @collect()\n"
                            "declare void @use(i64) \"gc-leaf-function\"\n"
                            "%s",
                            body),
                   -1);
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.optimisation = level;
  options.polls = SPGC_POLLS_LOOPS;
  char *lowered = compile_lowered(text, &options);
  free(text);
  char *start = strstr(lowered, "@f(");
  ck_assert_ptr_nonnull(start);
  char *function = strndup(start, (size_t)(strstr(start, "\n}\n") - start));
  LLVMDisposeMessage(lowered);
  ck_assert_ptr_null(strstr(function, "address_of"));
  return function;
}

START_TEST(a_cast_after_a_safepoint_is_a_new_one) {
  char *f = lower("define i64 @f(ptr addrspace(1) %object) gc \"statepoint-example\" {\n"
                  "  %before = ptrtoint ptr addrspace(1) %object to i64\n"
                  "  call void @use(i64 %before)\n"
                  "  call void @collect()\n"
                  "  %after = ptrtoint ptr addrspace(1) %object to i64\n"
                  "  ret i64 %after\n"
                  "}\n",
                  (unsigned)_i);
  ck_assert_times(f, "ptrtoint ptr addrspace(1) %object to i64", 1);
  ck_assert_times(f, "ptrtoint ptr addrspace(1) %object.relocated", 1);
  free(f);
}
END_TEST

START_TEST(a_cast_in_a_loop_is_made_behind_the_poll_of_each_round) {
  char *f = lower("define void @f(ptr addrspace(1) %object, i64 %n) gc \"statepoint-example\" {\n"
                  "entry:\n"
                  "  br label %loop\n"
                  "loop:\n"
                  "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
                  "  %address = ptrtoint ptr addrspace(1) %object to i64\n"
                  "  call void @use(i64 %address)\n"
                  "  %next = add i64 %i, 1\n"
                  "  %more = icmp ult i64 %next, %n\n"
                  "  br i1 %more, label %loop, label %done\n"
                  "done:\n"
                  "  ret void\n"
                  "}\n",
                  (unsigned)_i);
  ck_assert_times(f, "ptrtoint ptr addrspace(1) %object to i64", 0);
  ck_assert_ptr_nonnull(strstr(f, cast));
  free(f);
}
END_TEST

/* A call without memory effects seems movable. */
START_TEST(no_cast_is_made_on_the_other_side_of_a_call_that_only_polls) {
  char *f = lower("define i64 @spin(i64 %n) noinline gc \"statepoint-example\" {\n"
                  "entry:\n"
                  "  br label %loop\n"
                  "loop:\n"
                  "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
                  "  %x = phi i64 [ 1, %entry ], [ %y, %loop ]\n"
                  "  %square = mul i64 %x, %x\n"
                  "  %y = xor i64 %square, %i\n"
                  "  %next = add i64 %i, 1\n"
                  "  %more = icmp ult i64 %next, %n\n"
                  "  br i1 %more, label %loop, label %done\n"
                  "done:\n"
                  "  ret i64 %y\n"
                  "}\n"
                  "define i64 @f(ptr addrspace(1) %object, i64 %n) gc \"statepoint-example\" {\n"
                  "  %before = ptrtoint ptr addrspace(1) %object to i64\n"
                  "  call void @use(i64 %before)\n"
                  "  %sum = call i64 @spin(i64 %n)\n"
                  "  %after = ptrtoint ptr addrspace(1) %object to i64\n"
                  "  %both = add i64 %sum, %after\n"
                  "  ret i64 %both\n"
                  "}\n",
                  (unsigned)_i);
  ck_assert_times(f, "ptrtoint ptr addrspace(1) %object to i64", 1);
  ck_assert_times(f, "ptrtoint ptr addrspace(1) %object.relocated", 1);
  free(f);
}
END_TEST

START_TEST(an_order_is_found_anew_after_a_safepoint) {
  char *f =
      lower("define i1 @f(ptr addrspace(1) %a, ptr addrspace(1) %b) gc \"statepoint-example\" {\n"
            "  %before = icmp ult ptr addrspace(1) %a, %b\n"
            "  %number = zext i1 %before to i64\n"
            "  call void @use(i64 %number)\n"
            "  call void @collect()\n"
            "  %after = icmp ult ptr addrspace(1) %a, %b\n"
            "  ret i1 %after\n"
            "}\n",
            (unsigned)_i);
  ck_assert_times(f, cast, 4);
  ck_assert_times(f, "icmp ult i64", 2);
  free(f);
}
END_TEST

START_TEST(the_order_of_elements_of_one_object_needs_no_address) {
  char *f = lower("define i1 @f(ptr addrspace(1) %a, i64 %i, i64 %j) gc \"statepoint-example\" {\n"
                  "  %left = getelementptr i64, ptr addrspace(1) %a, i64 %i\n"
                  "  %right = getelementptr i64, ptr addrspace(1) %a, i64 %j\n"
                  "  call void @collect()\n"
                  "  %below = icmp ult ptr addrspace(1) %left, %right\n"
                  "  ret i1 %below\n"
                  "}\n",
                  (unsigned)_i);
  ck_assert_times(f, cast, 0);
  free(f);
}
END_TEST

/* One cast before the safepoint serves both sides. */
START_TEST(what_moving_does_not_change_is_computed_once) {
  char *f = lower("declare double @llvm.fabs.f64(double)\n"
                  "define i64 @f(ptr addrspace(1) %boxed, ptr %out) gc \"statepoint-example\" {\n"
                  "  %word = ptrtoint ptr addrspace(1) %boxed to i64\n"
                  "  %is = icmp uge i64 %word, 562949953421312\n"
                  "  %is.number = zext i1 %is to i64\n"
                  "  call void @use(i64 %is.number)\n"
                  "  call void @collect()\n"
                  "  %again = ptrtoint ptr addrspace(1) %boxed to i64\n"
                  "  %bits = sub i64 %again, 562949953421312\n"
                  "  %number = bitcast i64 %bits to double\n"
                  "  store double %number, ptr %out\n"
                  "  %tag = and i64 %again, 7\n"
                  "  ret i64 %tag\n"
                  "}\n",
                  (unsigned)_i);
  ck_assert_times(f, cast, 1);
  free(f);
}
END_TEST

START_TEST(a_copy_whose_end_is_overwritten_stays_a_copy) {
  char *f =
      lower("declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)\n"
            "define void @f(ptr addrspace(1) %to, ptr addrspace(1) %from, ptr addrspace(1) %last) "
            "gc \"statepoint-example\" {\n"
            "  %target = getelementptr i8, ptr addrspace(1) %to, i64 8\n"
            "  %source = getelementptr i8, ptr addrspace(1) %from, i64 8\n"
            "  %end = getelementptr i8, ptr addrspace(1) %to, i64 16\n"
            "  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 8 %target, ptr addrspace(1) "
            "align 8 "
            "%source, i64 16, i1 false)\n"
            "  store ptr addrspace(1) %last, ptr addrspace(1) %end\n"
            "  call void @collect()\n"
            "  ret void\n"
            "}\n",
            (unsigned)_i);
  ck_assert_times(f, "load i64, ptr addrspace(1)", 0);
  ck_assert_times(f, "@llvm.memcpy.p1.p1.i64", 1);
  free(f);
}
END_TEST

int main(void) {
  struct spgc_error error;
  if (spgc_llvm_initialise(&error) != SPGC_OK)
    return EXIT_FAILURE;
  Suite *suite = suite_create("codegen-address");
  TCase *tcase = tcase_create("address");
  tcase_add_loop_test(tcase, a_cast_after_a_safepoint_is_a_new_one, 0, LEVELS);
  tcase_add_loop_test(tcase, a_cast_in_a_loop_is_made_behind_the_poll_of_each_round, 0, LEVELS);
  tcase_add_loop_test(tcase, no_cast_is_made_on_the_other_side_of_a_call_that_only_polls, 0,
                      LEVELS);
  tcase_add_loop_test(tcase, an_order_is_found_anew_after_a_safepoint, 0, LEVELS);
  tcase_add_loop_test(tcase, the_order_of_elements_of_one_object_needs_no_address, 0, LEVELS);
  tcase_add_loop_test(tcase, what_moving_does_not_change_is_computed_once, 0, LEVELS);
  tcase_add_loop_test(tcase, a_copy_whose_end_is_overwritten_stays_a_copy, 0, LEVELS);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
