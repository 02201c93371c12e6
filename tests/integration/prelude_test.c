/* The code that the lowering inlines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spgc/thread.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

#define DESCRIPTORS                                                                                \
  "%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }\n"                            \
  "@node = internal constant %spgc_type { i32 32, i32 0, i32 2, i32 0, ptr null, i32 0, i32 0, "   \
  "ptr null, ptr null }\n"                                                                         \
  "@array = internal constant %spgc_type { i32 16, i32 8, i32 7, i32 0, ptr null, i32 0, i32 0, "  \
  "ptr null, ptr null "                                                                            \
  "}\n"                                                                                            \
  "@unknown_type = external constant %spgc_type\n"                                                 \
  "declare ptr addrspace(1) @spgc_allocate(ptr)\n"                                                 \
  "declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)\n"                                      \
  "declare void @unknown()\n"                                                                      \
  "declare i1 @spgc_stack_low()\n"                                                                 \
  "declare void @spgc_poll()\n"                                                                    \
  "declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)\n"

static const char card[] = "store atomic i8 1, ptr %card";
static const char note[] = "store atomic i8 %value"; /* in the group card, or to count it */

static char *lower_with(const char *body, enum spgc_polls polls, enum spgc_code code) {
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.polls = polls;
  options.code = code;
  char *text;
  ck_assert_int_ne(asprintf(&text, "%s%s", DESCRIPTORS, body), -1);
  char *lowered = compile_lowered(text, &options);
  free(text);
  return lowered;
}

static char *lower_function(const char *body) {
  char *lowered = lower_with(body, SPGC_POLLS_LOOPS, SPGC_CODE_AHEAD_OF_TIME);
  char *start = strstr(lowered, "@f(");
  ck_assert_ptr_nonnull(start);
  char *end = strstr(start, "\n}\n");
  ck_assert_ptr_nonnull(end);
  char *function = strndup(start, (size_t)(end - start));
  LLVMDisposeMessage(lowered);
  return function;
}

START_TEST(allocations_keep_the_ids_that_the_frontend_gave_them) {
  char *f = lower_function(
      "define ptr addrspace(1) @f(i1 %is_array, i64 %length) gc \"statepoint-example\" {\n"
      "entry:\n"
      "  %first = call ptr addrspace(1) @spgc_allocate(ptr @node) \"statepoint-id\"=\"70001\"\n"
      "  br i1 %is_array, label %array, label %node\n"
      "node:\n"
      "  %second = call ptr addrspace(1) @spgc_allocate(ptr @unknown_type)\n"
      "  ret ptr addrspace(1) %second\n"
      "array:\n"
      "  %third = call ptr addrspace(1) @spgc_allocate_array(ptr @array, i64 %length) "
      "\"statepoint-id\"=\"70003\"\n"
      "  store ptr addrspace(1) %first, ptr addrspace(1) %third\n"
      "  ret ptr addrspace(1) %third\n"
      "}\n");
  ck_assert_times(f,
                  "gc.statepoint.p0(i64 70001, i32 0, ptr elementtype(ptr addrspace(1) (ptr, i64)) "
                  "@spgc_allocate_slow, i32 2, i32 0, ptr nonnull @node,",
                  1);
  ck_assert_times(
      f,
      "gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(ptr addrspace(1) (ptr, i64)) "
      "@spgc_allocate_slow, i32 2, i32 0, ptr nonnull @unknown_type,",
      1);
  ck_assert_times(f,
                  "gc.statepoint.p0(i64 70003, i32 0, ptr elementtype(ptr addrspace(1) (ptr, i64)) "
                  "@spgc_allocate_slow, i32 2, i32 0, ptr nonnull @array,",
                  1);
  free(f);
}
END_TEST

START_TEST(allocations_keep_the_deopt_state_that_the_frontend_gave_them) {
  char *f = lower_function(
      "define ptr addrspace(1) @f(ptr addrspace(1) %a, i64 %length) gc \"statepoint-example\" {\n"
      "  %1 = call ptr addrspace(1) @spgc_allocate(ptr @node) [ \"deopt\"(i64 5, i64 %length) ]\n"
      "  store ptr addrspace(1) %a, ptr addrspace(1) %1\n"
      "  ret ptr addrspace(1) %1\n"
      "}\n");
  ck_assert_times(f, "[ \"deopt\"(i64 5, i64 %length), \"gc-live\"(ptr addrspace(1) %a) ]", 1);
  free(f);
}
END_TEST

START_TEST(a_statepoint_relocates_what_is_used_after_it) {
  char *f =
      lower_function("declare void @take(ptr addrspace(1), ptr addrspace(1))\n"
                     "define ptr addrspace(1) @f(ptr addrspace(1) %used, ptr addrspace(1) %unused) "
                     "gc \"statepoint-example\" {\n"
                     "  call void @take(ptr addrspace(1) %used, ptr addrspace(1) %unused)\n"
                     "  ret ptr addrspace(1) %used\n"
                     "}\n");
  ck_assert_times(f, "%used.relocated = call", 1);
  ck_assert_times(f, "@llvm.experimental.gc.relocate", 1);
  free(f);
}
END_TEST

/* LLVM finds references in the state, but not vectors of them. */
START_TEST(a_statepoint_relocates_the_vectors_of_its_deopt_state) {
  char *f =
      lower_function("define void @f(<2 x ptr addrspace(1)> %pair, ptr addrspace(1) %single) "
                     "gc \"statepoint-example\" {\n"
                     "  call void @unknown()\n"
                     "      [ \"deopt\"(<2 x ptr addrspace(1)> %pair, ptr addrspace(1) %single) ]\n"
                     "  ret void\n"
                     "}\n");
  ck_assert_times(f, "%pair.relocated = call", 1);
  ck_assert_times(f, "@llvm.experimental.gc.relocate", 1);
  free(f);
}
END_TEST

START_TEST(a_function_keeps_its_attributes) {
  char *lowered = lower_with("define void @plain() gc \"statepoint-example\" {\n"
                             "  call void @unknown()\n  ret void\n}\n"
                             "define void @apart() noinline gc \"statepoint-example\" {\n"
                             "  call void @unknown()\n  ret void\n}\n"
                             "define void @kept() noinline optnone {\n"
                             "  call void @unknown()\n  ret void\n}\n",
                             SPGC_POLLS_LOOPS, SPGC_CODE_AHEAD_OF_TIME);
  enum { GROUPS_AND_COMMENTS = 2 };
  ck_assert_times(lowered, "optnone", 1 * GROUPS_AND_COMMENTS);
  ck_assert_times(lowered, "noinline", 2 * GROUPS_AND_COMMENTS);
  ck_assert_times(lowered, "\"spgc-", 0);
  LLVMDisposeMessage(lowered);
}
END_TEST

START_TEST(a_constant_descriptor_gives_a_constant_size) {
  char *f = lower_function("define ptr addrspace(1) @f() gc \"statepoint-example\" {\n"
                           "  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
                           "  ret ptr addrspace(1) %o\n}\n");
  ck_assert_times(f, "load volatile ptr addrspace(1)", 1);
  ck_assert_times(f, "getelementptr i8, ptr addrspace(1) %object.i, i64 32", 1);
  ck_assert_times(f, "load i32", 0);
  ck_assert_times(f, "@spgc_allocate_slow", 1);
  ck_assert_times(f, "i8 0, i64 24", 1);
  free(f);
}
END_TEST

START_TEST(an_unknown_descriptor_is_read) {
  char *f = lower_function("define ptr addrspace(1) @f() gc \"statepoint-example\" {\n"
                           "  %o = call ptr addrspace(1) @spgc_allocate(ptr @unknown_type)\n"
                           "  ret ptr addrspace(1) %o\n}\n");
  ck_assert_times(f, "load i32, ptr @unknown_type", 1);
  free(f);
}
END_TEST

START_TEST(zeroing_that_initialising_stores_cover_goes_away) {
  char *f = lower_function(
      "define ptr addrspace(1) @f(ptr addrspace(1) %a, i64 %b) gc \"statepoint-example\" {\n"
      "  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
      "  %p = getelementptr i8, ptr addrspace(1) %o, i64 8\n"
      "  store ptr addrspace(1) %a, ptr addrspace(1) %p\n"
      "  %q = getelementptr i8, ptr addrspace(1) %o, i64 16\n"
      "  store i64 %b, ptr addrspace(1) %q\n"
      "  %r = getelementptr i8, ptr addrspace(1) %o, i64 24\n"
      "  store ptr addrspace(1) %a, ptr addrspace(1) %r\n"
      "  ret ptr addrspace(1) %o\n}\n");
  ck_assert_times(f, "llvm.memset", 0);
  ck_assert_times(f, "i8 0", 0);
  ck_assert_times(f, card, 0);
  free(f);
}
END_TEST

START_TEST(zeroing_stays_where_a_safepoint_comes_before_the_stores) {
  char *f = lower_function("define ptr addrspace(1) @f(i64 %b) gc \"statepoint-example\" {\n"
                           "  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
                           "  call void @unknown()\n"
                           "  %p = getelementptr i8, ptr addrspace(1) %o, i64 8\n"
                           "  store i64 %b, ptr addrspace(1) %p\n"
                           "  %q = getelementptr i8, ptr addrspace(1) %o, i64 16\n"
                           "  store i64 %b, ptr addrspace(1) %q\n"
                           "  %r = getelementptr i8, ptr addrspace(1) %o, i64 24\n"
                           "  store i64 %b, ptr addrspace(1) %r\n"
                           "  ret ptr addrspace(1) %o\n}\n");
  ck_assert_times(f, "i8 0, i64 24", 1);
  free(f);
}
END_TEST

/* The poll would see an unset field. */
START_TEST(zeroing_stays_where_a_poll_comes_before_the_stores) {
  char *f =
      lower_function("define ptr addrspace(1) @f(ptr %flag, i64 %b) gc \"statepoint-example\" {\n"
                     "entry:\n"
                     "  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
                     "  br label %loop\n"
                     "loop:\n"
                     "  %v = load volatile i1, ptr %flag\n"
                     "  br i1 %v, label %done, label %loop\n"
                     "done:\n"
                     "  %p = getelementptr i8, ptr addrspace(1) %o, i64 8\n"
                     "  store i64 %b, ptr addrspace(1) %p\n"
                     "  %q = getelementptr i8, ptr addrspace(1) %o, i64 16\n"
                     "  store i64 %b, ptr addrspace(1) %q\n"
                     "  %r = getelementptr i8, ptr addrspace(1) %o, i64 24\n"
                     "  store i64 %b, ptr addrspace(1) %r\n"
                     "  ret ptr addrspace(1) %o\n}\n");
  ck_assert_times(f, "@spgc_poll_slow", 1);
  ck_assert_times(f, "i8 0, i64 24", 1);
  free(f);
}
END_TEST

START_TEST(each_allocation_reads_the_cursor_anew) {
  char *f = lower_function("define void @f(ptr addrspace(1) %t) gc \"statepoint-example\" {\n"
                           "  %a = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
                           "  %b = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
                           "  %p = getelementptr i8, ptr addrspace(1) %t, i64 8\n"
                           "  store ptr addrspace(1) %a, ptr addrspace(1) %p\n"
                           "  %q = getelementptr i8, ptr addrspace(1) %t, i64 16\n"
                           "  store ptr addrspace(1) %b, ptr addrspace(1) %q\n"
                           "  ret void\n}\n");
  ck_assert_times(f, "load volatile ptr addrspace(1)", 2);
  free(f);
}
END_TEST

START_TEST(an_unused_allocation_goes_away) {
  char *f = lower_function("define void @f() gc \"statepoint-example\" {\n"
                           "  %a = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
                           "  %p = getelementptr i8, ptr addrspace(1) %a, i64 8\n"
                           "  store i64 1, ptr addrspace(1) %p\n"
                           "  ret void\n}\n");
  ck_assert_times(f, "spgc_allocate", 0);
  free(f);
}
END_TEST

START_TEST(a_short_array_of_known_length_is_cleared_by_stores) {
  char *f = lower_function("define ptr addrspace(1) @f() gc \"statepoint-example\" {\n"
                           "  %o = call ptr addrspace(1) @spgc_allocate_array(ptr @array, i64 3)\n"
                           "  ret ptr addrspace(1) %o\n}\n");
  ck_assert_times(f, "getelementptr i8, ptr addrspace(1) %object.i, i64 40", 1);
  ck_assert_times(f, "store i64 3", 1);
  ck_assert_times(f, "i8 0, i64 24", 1);
  free(f);
}
END_TEST

START_TEST(a_long_length_goes_to_the_slow_path) {
  char *f = lower_function("define ptr addrspace(1) @f() gc \"statepoint-example\" {\n"
                           "  %o = call ptr addrspace(1) @spgc_allocate_array(ptr @array, i64 -1)\n"
                           "  ret ptr addrspace(1) %o\n}\n");
  ck_assert_times(f, "load volatile", 0);
  ck_assert_times(f, "@spgc_allocate_slow", 1);
  free(f);
}
END_TEST

static const char store_of[] =
    "define void @f(ptr addrspace(1) %%o, ptr addrspace(1) %%v, double %%d, i64 %%i) "
    "gc \"statepoint-example\" {\n"
    "  %%bits = bitcast double %%d to i64\n"
    "  %%boxed = inttoptr i64 %%bits to ptr addrspace(1)\n"
    "  %%word = inttoptr i64 %%i to ptr addrspace(1)\n"
    "  %%p = getelementptr i8, ptr addrspace(1) %%o, i64 8\n"
    "  store %s, ptr addrspace(1) %%p\n"
    "  ret void\n}\n";

static const struct stored {
  const char *value;
  int cards;
} stored[] = {
    {"ptr addrspace(1) %v", 1},
    {"ptr addrspace(1) null", 0},
    {"ptr addrspace(1) %boxed", 0},
    {"ptr addrspace(1) %word", 0}, /* inttoptr makes immediates */
    {"i64 %i", 0},
    {"i64 %bits", 0},
    {"i64 7", 0},
    {"double %d", 0},
    {"ptr addrspace(1) inttoptr (i64 9221120237041090561 to ptr addrspace(1))", 0},
};

START_TEST(a_store_has_a_barrier_iff_it_may_store_an_object) {
  char *body;
  ck_assert_int_ne(asprintf(&body, store_of, stored[_i].value), -1);
  char *f = lower_function(body);
  ck_assert_times(f, card, stored[_i].cards);
  ck_assert_times(f, note, stored[_i].cards);
  free(f);
  free(body);
}
END_TEST

/* As many branches would take LLVM minutes. */
START_TEST(a_function_of_many_stores_has_barriers_without_branches) {
  enum { STORES = 256 };
  char *body = NULL;
  size_t length;
  FILE *out = open_memstream(&body, &length);
  fprintf(out, "define void @f(ptr addrspace(1) %%o, ptr addrspace(1) %%v) gc "
               "\"statepoint-example\" {\n");
  for (int i = 0; i < STORES; i++)
    fprintf(out,
            "  %%p%d = getelementptr i8, ptr addrspace(1) %%o, i64 %d\n"
            "  store ptr addrspace(1) %%v, ptr addrspace(1) %%p%d\n",
            i, 8 * (i + 1), i);
  fprintf(out, "  ret void\n}\n");
  fclose(out);
  char *f = lower_function(body);
  ck_assert_times(f, card, STORES);
  ck_assert_times(f, "store atomic i8 1, ptr %group.card", STORES);
  ck_assert_times(f, "br i1", 0);
  free(f);
  free(body);
}
END_TEST

START_TEST(a_store_into_a_fresh_object_needs_no_barrier) {
  char *f = lower_function(
      "define ptr addrspace(1) @f(ptr addrspace(1) %v, i1 %c) gc \"statepoint-example\" {\n"
      "entry:\n"
      "  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
      "  %p = getelementptr i8, ptr addrspace(1) %o, i64 8\n"
      "  br i1 %c, label %one, label %two\n"
      "one:\n"
      "  store ptr addrspace(1) %v, ptr addrspace(1) %p\n"
      "  br label %two\n"
      "two:\n"
      "  %q = getelementptr i8, ptr addrspace(1) %o, i64 16\n"
      "  store ptr addrspace(1) %v, ptr addrspace(1) %q\n"
      "  ret ptr addrspace(1) %o\n}\n");
  ck_assert_times(f, card, 0);
  free(f);
}
END_TEST

/* What a call returns may be old. */
START_TEST(a_store_into_a_result_needs_a_barrier) {
  char *f = lower_function("declare ptr addrspace(1) @object()\n"
                           "define void @f(ptr addrspace(1) %v) gc \"statepoint-example\" {\n"
                           "  %o = call ptr addrspace(1) @object()\n"
                           "  %p = getelementptr i8, ptr addrspace(1) %o, i64 8\n"
                           "  store ptr addrspace(1) %v, ptr addrspace(1) %p\n"
                           "  ret void\n}\n");
  ck_assert_times(f, card, 1);
  free(f);
}
END_TEST

/* A collection reads only the dirty cards of a long new array. */
static const struct fresh_array {
  const char *length;
  int cards;
} fresh_arrays[] = {{"3", 0}, {"256", 0}, {"257", 1}, {"%length", 1}};

START_TEST(a_store_into_a_fresh_array_needs_no_barrier_if_it_is_short) {
  char *body;
  ck_assert_int_ne(
      asprintf(&body,
               "define ptr addrspace(1) @f(ptr addrspace(1) %%v, i64 %%length) "
               "gc \"statepoint-example\" {\n"
               "  %%o = call ptr addrspace(1) @spgc_allocate_array(ptr @array, i64 %s)\n"
               "  %%p = getelementptr i8, ptr addrspace(1) %%o, i64 16\n"
               "  store ptr addrspace(1) %%v, ptr addrspace(1) %%p\n"
               "  ret ptr addrspace(1) %%o\n}\n",
               fresh_arrays[_i].length),
      -1);
  char *f = lower_function(body);
  ck_assert_times(f, card, fresh_arrays[_i].cards);
  free(f);
  free(body);
}
END_TEST

/* The first of two allocations may be followed by a call. */
static const char store_into_either[] =
    "define ptr addrspace(1) @f(ptr addrspace(1) %%v, i1 %%c) gc \"statepoint-example\" {\n"
    "entry:\n"
    "  br i1 %%c, label %%one, label %%two\n"
    "one:\n"
    "  %%o = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
    "%s"
    "  br label %%end\n"
    "two:\n"
    "  %%x = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
    "  %%y = getelementptr i8, ptr addrspace(1) %%x, i64 16\n"
    "  store ptr addrspace(1) %%v, ptr addrspace(1) %%y\n"
    "  %%t = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
    "  br label %%end\n"
    "end:\n"
    "  %%n = phi ptr addrspace(1) [ %%o, %%one ], [ %%t, %%two ]\n"
    "  %%q = getelementptr i8, ptr addrspace(1) %%n, i64 16\n"
    "  store ptr addrspace(1) %%v, ptr addrspace(1) %%q\n"
    "  ret ptr addrspace(1) %%n\n}\n";

static void check_store_into_either(const char *after_allocation, int cards) {
  char *body;
  ck_assert_int_ne(asprintf(&body, store_into_either, after_allocation), -1);
  char *f = lower_function(body);
  ck_assert_times(f, card, cards);
  free(f);
  free(body);
}

START_TEST(a_store_into_either_of_two_fresh_objects_needs_no_barrier) {
  check_store_into_either("", 0);
  check_store_into_either("  call void @unknown()\n", 1);
}
END_TEST

/* A volatile store keeps the blocks apart. */
START_TEST(a_store_into_any_of_three_fresh_objects_needs_no_barrier) {
  char *f =
      lower_function("define ptr addrspace(1) @f(ptr addrspace(1) %v, i1 %c, i1 %d, ptr %kept) "
                     "gc \"statepoint-example\" {\n"
                     "entry:\n"
                     "  br i1 %c, label %one, label %other\n"
                     "one:\n"
                     "  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
                     "  br label %end\n"
                     "other:\n"
                     "  br i1 %d, label %two, label %three\n"
                     "two:\n"
                     "  %x = call ptr addrspace(1) @spgc_allocate_array(ptr @array, i64 3)\n"
                     "  store volatile i8 2, ptr %kept\n"
                     "  br label %meet\n"
                     "three:\n"
                     "  %y = call ptr addrspace(1) @spgc_allocate_array(ptr @array, i64 4)\n"
                     "  br label %meet\n"
                     "meet:\n"
                     "  %m = phi ptr addrspace(1) [ %x, %two ], [ %y, %three ]\n"
                     "  store volatile i8 1, ptr %kept\n"
                     "  br label %end\n"
                     "end:\n"
                     "  %n = phi ptr addrspace(1) [ %o, %one ], [ %m, %meet ]\n"
                     "  %q = getelementptr i8, ptr addrspace(1) %n, i64 16\n"
                     "  store ptr addrspace(1) %v, ptr addrspace(1) %q\n"
                     "  ret ptr addrspace(1) %n\n}\n");
  ck_assert_times(f, card, 0);
  free(f);
}
END_TEST

/* Their ids keep the allocations apart. */
static char *lower_store_into_any_of(int objects) {
  char *body = NULL;
  size_t length;
  FILE *out = open_memstream(&body, &length);
  fprintf(out, "define ptr addrspace(1) @f(ptr addrspace(1) %%v, i32 %%c) gc "
               "\"statepoint-example\" {\n"
               "  switch i32 %%c, label %%path0 [\n");
  for (int i = 1; i < objects; i++)
    fprintf(out, "    i32 %d, label %%path%d\n", i, i);
  fprintf(out, "  ]\n");
  for (int i = 0; i < objects; i++)
    fprintf(out,
            "path%d:\n"
            "  %%o%d = call ptr addrspace(1) @spgc_allocate(ptr @node) \"statepoint-id\"=\"%d\"\n"
            "  br label %%end\n",
            i, i, i + 1);
  fprintf(out, "end:\n  %%n = phi ptr addrspace(1) ");
  for (int i = 0; i < objects; i++)
    fprintf(out, "%s[ %%o%d, %%path%d ]", i == 0 ? "" : ", ", i, i);
  fprintf(out, "\n  %%q = getelementptr i8, ptr addrspace(1) %%n, i64 16\n"
               "  store ptr addrspace(1) %%v, ptr addrspace(1) %%q\n"
               "  ret ptr addrspace(1) %%n\n}\n");
  fclose(out);
  char *f = lower_function(body);
  free(body);
  return f;
}

/* The search for a way to another object would take as long as there are ways. */
START_TEST(a_store_into_any_of_many_fresh_objects_has_a_barrier) {
  enum { FEW = 16 };
  char *few = lower_store_into_any_of(FEW), *many = lower_store_into_any_of(FEW + 1);
  ck_assert_times(few, card, 0);
  ck_assert_times(many, card, 1);
  free(few);
  free(many);
}
END_TEST

START_TEST(a_store_after_a_safepoint_on_one_path_needs_a_barrier) {
  char *f = lower_function(
      "define ptr addrspace(1) @f(ptr addrspace(1) %v, i1 %c) gc \"statepoint-example\" {\n"
      "entry:\n"
      "  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
      "  br i1 %c, label %one, label %two\n"
      "one:\n"
      "  call void @unknown()\n"
      "  br label %two\n"
      "two:\n"
      "  %q = getelementptr i8, ptr addrspace(1) %o, i64 16\n"
      "  store ptr addrspace(1) %v, ptr addrspace(1) %q\n"
      "  ret ptr addrspace(1) %o\n}\n");
  ck_assert_times(f, card, 1);
  free(f);
}
END_TEST

START_TEST(atomic_and_vector_stores_have_barriers) {
  char *f =
      lower_function("define ptr addrspace(1) @f(ptr addrspace(1) %o, <2 x ptr addrspace(1)> %w, "
                     "ptr addrspace(1) %v) gc \"statepoint-example\" {\n"
                     "  %old = atomicrmw xchg ptr addrspace(1) %o, ptr addrspace(1) %v seq_cst\n"
                     "  %pair = cmpxchg ptr addrspace(1) %o, ptr addrspace(1) %v, ptr addrspace(1) "
                     "%old seq_cst seq_cst\n"
                     "  store atomic ptr addrspace(1) %v, ptr addrspace(1) %o release, align 8\n"
                     "  %p = getelementptr i8, ptr addrspace(1) %o, i64 16\n"
                     "  store <2 x ptr addrspace(1)> %w, ptr addrspace(1) %p\n"
                     "  ret ptr addrspace(1) %old\n}\n");
  ck_assert_times(f, card, 3);
  ck_assert_times(f, "@llvm.memset.p0.i64", 2); /* cards, and group cards */
  free(f);
}
END_TEST

START_TEST(a_copy_marks_the_cards_of_its_destination) {
  char *f = lower_function("define void @f(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) "
                           "gc \"statepoint-example\" {\n"
                           "  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %a, ptr "
                           "addrspace(1) %b, i64 %n, i1 false)\n"
                           "  ret void\n}\n");
  ck_assert_times(f, "@llvm.memset.p0.i64", 2); /* cards, and group cards */
  free(f);
}
END_TEST

START_TEST(a_copy_marks_cards_if_its_destination_is_an_object_that_may_be_old) {
  static const struct {
    const char *to, *from;
    int tables;
  } copies[] = {{"ptr addrspace(1) %a", "ptr addrspace(1) %o", 2},
                {"ptr addrspace(1) %o", "ptr addrspace(1) %a", 0},
                {"ptr addrspace(1) %a", "ptr %p", 2},
                {"ptr %p", "ptr addrspace(1) %a", 0}};
  for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
    char *body;
    ck_assert_int_ne(
        asprintf(&body,
                 "declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)\n"
                 "declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)\n"
                 "define ptr addrspace(1) @f(ptr addrspace(1) %%a, ptr %%p) "
                 "gc \"statepoint-example\" {\n"
                 "  %%o = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
                 "  call void @llvm.memcpy.p%d.p%d.i64(%s, %s, i64 32, i1 false)\n"
                 "  ret ptr addrspace(1) %%o\n}\n",
                 strstr(copies[i].to, "addrspace") != NULL,
                 strstr(copies[i].from, "addrspace") != NULL, copies[i].to, copies[i].from),
        -1);
    char *f = lower_function(body);
    ck_assert_times(f, "ptr %card", copies[i].tables / 2);
    free(f);
    free(body);
  }
}
END_TEST

START_TEST(a_length_is_not_negative) {
  char *f = lower_function("declare void @llvm.memcpy.p1.p1.i32(ptr addrspace(1), "
                           "ptr addrspace(1), i32, i1)\n"
                           "define void @f(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) "
                           "gc \"statepoint-example\" {\n"
                           "  call void @llvm.memcpy.p1.p1.i32(ptr addrspace(1) %a, ptr "
                           "addrspace(1) %b, i32 %n, i1 false)\n"
                           "  ret void\n}\n");
  ck_assert_times(f, "zext i32 %n to i64", 1);
  ck_assert_times(f, "sext", 0);
  free(f);
}
END_TEST

START_TEST(a_copy_from_a_constant_has_no_barrier) {
  char *f =
      lower_function("@numbers = internal constant [4 x i64] [i64 1, i64 2, i64 3, i64 5]\n"
                     "declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)\n"
                     "define void @f(ptr addrspace(1) %a, i64 %n) gc \"statepoint-example\" {\n"
                     "  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %a, ptr @numbers, i64 "
                     "%n, i1 false)\n"
                     "  ret void\n}\n");
  ck_assert_times(f, "@llvm.memcpy.p1.p0.i64", 1);
  ck_assert_times(f, "@llvm.memset.p0.i64", 0);
  free(f);
}
END_TEST

/* It may be a number, which must not get into a store buffer. */
START_TEST(a_copy_of_one_word_has_a_barrier) {
  char *f = lower_function(
      "define void @f(ptr addrspace(1) %a, ptr addrspace(1) %b) gc \"statepoint-example\" {\n"
      "  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 8, i1 "
      "false)\n"
      "  ret void\n}\n");
  ck_assert_times(f, card, 1);
  ck_assert_times(f, "store atomic i8 1, ptr %group.card", 1);
  ck_assert_times(f, "@llvm.memcpy.p1.p1.i64", 1);
  ck_assert_times(f, "load i64, ptr addrspace(1)", 0);
  free(f);
}
END_TEST

static const char two_loops[] = "define void @f(ptr %flag) gc \"statepoint-example\" {\n"
                                "entry:\n"
                                "  call void @unknown()\n"
                                "  br label %loop\n"
                                "loop:\n"
                                "  %v = load volatile i1, ptr %flag\n"
                                "  br i1 %v, label %done, label %loop\n"
                                "done:\n"
                                "  ret void\n}\n";

/* No function of the module is managed. */
START_TEST(a_copy_in_a_module_of_leaves_has_a_barrier) {
  char *f = lower_function(
      "define void @f(ptr addrspace(1) %a, ptr addrspace(1) %b) \"gc-leaf-function\" {\n"
      "  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 8,\n"
      "      i1 false)\n"
      "  ret void\n}\n");
  ck_assert_times(f, card, 1);
  free(f);
}
END_TEST

START_TEST(polls_stand_at_entries_and_in_loops_as_asked) {
  char *all = lower_with(two_loops, SPGC_POLLS_ENTRIES_AND_LOOPS, SPGC_CODE_AHEAD_OF_TIME);
  char *loops = lower_with(two_loops, SPGC_POLLS_LOOPS, SPGC_CODE_AHEAD_OF_TIME);
  ck_assert_times(all, "elementtype(void ()) @spgc_poll_slow", 2);
  ck_assert_times(loops, "elementtype(void ()) @spgc_poll_slow", 1);
  LLVMDisposeMessage(all);
  LLVMDisposeMessage(loops);
}
END_TEST

START_TEST(an_explicit_poll_and_the_stack_check_are_in_line) {
  char *f = lower_function("define i1 @f() gc \"statepoint-example\" {\n"
                           "  call void @spgc_poll()\n"
                           "  %low = call i1 @spgc_stack_low()\n"
                           "  ret i1 %low\n}\n");
  ck_assert_times(f, "@spgc_poll_slow", 1);
  ck_assert_times(f, "@llvm.read_register.i64", 1);
  ck_assert_times(f, "@spgc_stack_low", 0);
  free(f);
}
END_TEST

START_TEST(jit_code_reaches_the_thread_through_fs) {
  char *jit = lower_with("define ptr addrspace(1) @f() gc \"statepoint-example\" {\n"
                         "  %o = call ptr addrspace(1) @spgc_allocate(ptr @node)\n"
                         "  ret ptr addrspace(1) %o\n}\n",
                         SPGC_POLLS_LOOPS, SPGC_CODE_JIT);
  char cursor[128];
  snprintf(
      cursor, sizeof cursor,
      "load volatile ptr addrspace(1), ptr addrspace(257) inttoptr (i64 %td to ptr addrspace(257))",
      spgc_thread_offset() + (ptrdiff_t)offsetof(struct spgc_thread, cursor));
  ck_assert_times(jit, cursor, 1);
  ck_assert_times(jit, "@spgc_thread", 0);
  ck_assert_times(jit, ".init_array", 0);
  LLVMDisposeMessage(jit);
}
END_TEST

START_TEST(the_record_lists_every_word_that_holds_a_reference) {
  char *lowered = lower_with(
      "@one = global ptr addrspace(1) null\n"
      "@many = global [5 x ptr addrspace(1)] zeroinitializer\n"
      "@mixed = global { i32, ptr addrspace(1), ptr addrspace(1), i64, ptr addrspace(1) } "
      "zeroinitializer\n"
      "@numbers = global [4 x i64] zeroinitializer\n"
      "@fixed = constant ptr addrspace(1) null\n"
      "@elsewhere = external global ptr addrspace(1)\n",
      SPGC_POLLS_LOOPS, SPGC_CODE_AHEAD_OF_TIME);
  ck_assert_times(
      lowered,
      "[4 x { ptr, i64 }] [{ ptr, i64 } { ptr @one, i64 1 }, { ptr, i64 } { ptr @many, i64 5 }, "
      "{ ptr, i64 } { ptr getelementptr (i8, ptr @mixed, i64 8), i64 2 }, "
      "{ ptr, i64 } { ptr getelementptr (i8, ptr @mixed, i64 32), i64 1 }]",
      1);
  ck_assert_times(lowered, "section \"spgc_modules\"", 1);
  ck_assert_times(lowered, "global ptr @spgc.arrive, section \".init_array.00101\"", 1);
  ck_assert_times(lowered, "global ptr @spgc.leave, section \".fini_array.00101\"", 1);
  ck_assert_times(lowered, "__LLVM_StackMaps", 0);
  LLVMDisposeMessage(lowered);
}
END_TEST

START_TEST(a_module_with_nothing_managed_stays_without_a_record) {
  char *lowered = lower_with("define i64 @f(i64 %i) {\n  ret i64 %i\n}\n", SPGC_POLLS_LOOPS,
                             SPGC_CODE_AHEAD_OF_TIME);
  ck_assert_times(lowered, "@spgc.", 0);
  ck_assert_times(lowered, "uwtable(sync) }", 1);
  LLVMDisposeMessage(lowered);
}
END_TEST

START_TEST(the_program_keeps_its_own_constructors) {
  char *lowered = lower_with(
      "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] "
      "[{ i32, ptr, ptr } { i32 65535, ptr @own, ptr null }]\n"
      "define void @own() gc \"statepoint-example\" {\n  call void @unknown()\n  ret void\n}\n",
      SPGC_POLLS_LOOPS, SPGC_CODE_AHEAD_OF_TIME);
  ck_assert_times(lowered, "global ptr @own, section \".init_array\"", 1);
  ck_assert_times(lowered, "global ptr @spgc.arrive, section \".init_array.00101\"", 1);
  LLVMDisposeMessage(lowered);
}
END_TEST

static char *function_named(const char *text, const char *name) {
  char head[64];
  snprintf(head, sizeof head, " @%s(", name);
  const char *start = text;
  do {
    start = strstr(start + 1, "\ndefine ");
    ck_assert_ptr_nonnull(start);
  } while (strncmp(strchr(start, '@') - 1, head, strlen(head)) != 0);
  const char *end = strstr(start, "\n}\n");
  ck_assert_ptr_nonnull(end);
  return strndup(start, (size_t)(end - start));
}

/* One poll is in the loop over vectors, one in the loop over the rest. */
START_TEST(integers_of_objects_are_integers_to_the_optimiser) {
  char *text = compile_read("run/typed_words.ll"), *lowered = compile_lowered_at(text, 2);
  char *sum = function_named(lowered, "sum"), *twice = function_named(lowered, "twice");
  ck_assert_int_ge(compile_count(sum, "load <2 x i64>"), 2);
  ck_assert_int_eq(compile_count(sum, "@spgc_poll_slow"), 2);
  ck_assert_int_eq(compile_count(twice, "load i64, ptr addrspace(1)"), 1);
  free(sum);
  free(twice);
  free(lowered);
  free(text);
}
END_TEST

START_TEST(a_context_may_discard_the_names_of_values) {
  struct spgc_lower_options options;
  struct spgc_error error;
  spgc_lower_options_default(&options);
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(context, "define void @f() gc \"statepoint-example\" {\n"
                                                "  call void @unknown()\n  ret void\n}\n"
                                                "declare void @unknown()\n");
  LLVMContextSetDiscardValueNames(context, true);
  ck_assert_ok(spgc_lower_module(module, &options, &error), error);
  ck_assert(LLVMContextShouldDiscardValueNames(context));
  char *lowered = LLVMPrintModuleToString(module);
  ck_assert_times(lowered, "@spgc_poll_slow, i32 0", 1);
  ck_assert_times(lowered, "%poll.i", 0);
  LLVMDisposeMessage(lowered);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}
END_TEST

/* ---- What barriers do when they run ----
 *
 * Tables and fields are those of no heap. */

enum {
  GROUPS = 4,
  WORDS = (GROUPS << SPGC_GROUP_CARD_SHIFT) / 8,
  CARDS = GROUPS << (SPGC_GROUP_CARD_SHIFT - SPGC_CARD_SHIFT),
  BUFFER_WORDS = SPGC_STORE_BUFFER_BYTES / 8
};

static struct tables {
  uint8_t cards[CARDS], group_cards[GROUPS], counts[GROUPS];
} tables;
static uint64_t *fields, *buffer; /* the buffer has counts first */

static void open_tables(unsigned buffer_space) {
  uintptr_t first = (uintptr_t)fields;
  memset(&tables, 0, sizeof tables);
  memset(buffer, 0, SPGC_STORE_BUFFER_BYTES);
  buffer[0] = (uintptr_t)tables.counts - (first >> SPGC_GROUP_CARD_SHIFT);
  spgc_thread.cards = (uintptr_t)tables.cards - (first >> SPGC_CARD_SHIFT);
  spgc_thread.group_cards = (uintptr_t)tables.group_cards - (first >> SPGC_GROUP_CARD_SHIFT);
  spgc_thread.stores = (uintptr_t)(buffer + BUFFER_WORDS - 1 - buffer_space);
}

static void create_tables(void) {
  ck_assert_ptr_nonnull(fields = aligned_alloc(1 << SPGC_GROUP_CARD_SHIFT, WORDS * 8));
  ck_assert_ptr_nonnull(buffer = aligned_alloc(SPGC_STORE_BUFFER_BYTES, SPGC_STORE_BUFFER_BYTES));
}

static void free_tables(void) {
  spgc_thread = (struct spgc_thread){0};
  free(fields);
  free(buffer);
}

static const char stores[] =
    "declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)\n"
    "define void @store(ptr addrspace(1) %to, ptr addrspace(1) %value) \"gc-leaf-function\" {\n"
    "  store ptr addrspace(1) %value, ptr addrspace(1) %to\n"
    "  ret void\n}\n"
    "define void @copy(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 %bytes) "
    "\"gc-leaf-function\" {\n"
    "  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %from, "
    "i64 %bytes, i1 false)\n"
    "  ret void\n}\n"
    "define void @copy_word(ptr addrspace(1) %to, ptr addrspace(1) %from) "
    "\"gc-leaf-function\" {\n"
    "  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 8, "
    "i1 false)\n"
    "  ret void\n}\n";

typedef void store_function(uint64_t *to, uint64_t value);
typedef void copy_function(uint64_t *to, const uint64_t *from, uint64_t bytes);

static void start_jit_with_stores(void) {
  jit_world_start("");
  jit_world_load_text(stores, 2);
  create_tables();
}

static void stop_jit(void) {
  free_tables();
  jit_world_stop();
}

/* Each group in turn; the first is dirty, and the last fills the buffer. */
START_TEST(a_store_dirties_its_card_and_is_buffered_while_its_group_has_few) {
  enum { SPACE = 2 * SPGC_MOST_GROUP_STORES + 3 };
  start_jit_with_stores();
  store_function *store = (store_function *)(uintptr_t)jit_world_lookup("store");
  open_tables(SPACE);
  tables.group_cards[0] = SPGC_CARD_DIRTY;
  struct tables expected = tables;
  uint64_t *first = (uint64_t *)spgc_thread.stores;
  unsigned buffered = 0;
  for (unsigned i = 0; i < GROUPS * (SPGC_MOST_GROUP_STORES + 2); i++) {
    unsigned group = i / (SPGC_MOST_GROUP_STORES + 2),
             word = group * WORDS / GROUPS + 17 * i % 1000;
    bool has_space = expected.counts[group] < SPGC_MOST_GROUP_STORES && buffered < SPACE;
    expected.cards[word * 8 >> SPGC_CARD_SHIFT] = SPGC_CARD_DIRTY;
    if (expected.group_cards[group] != SPGC_CARD_DIRTY && has_space) {
      expected.counts[group]++;
      buffered++;
    } else {
      expected.group_cards[group] = SPGC_CARD_DIRTY;
    }
    store(&fields[word], i);
    ck_assert_uint_eq(fields[word], i);
    ck_assert_mem_eq(&tables, &expected, sizeof tables);
    ck_assert_uint_eq(spgc_thread.stores, (uintptr_t)(first + buffered));
    if (buffered != 0 && expected.group_cards[group] != SPGC_CARD_DIRTY)
      ck_assert_uint_eq(first[buffered - 1], (uintptr_t)&fields[word]);
  }
  ck_assert_uint_eq(buffered, SPACE);
  stop_jit();
}
END_TEST

START_TEST(a_copy_dirties_the_cards_of_its_destination_and_of_nothing_else) {
  start_jit_with_stores();
  copy_function *copy = (copy_function *)(uintptr_t)jit_world_lookup("copy"),
                *copy_word = (copy_function *)(uintptr_t)jit_world_lookup("copy_word");
  enum { CARD = (1 << SPGC_CARD_SHIFT) / 8, GROUP = WORDS / GROUPS, SOURCE = 2 };
  static const struct range {
    unsigned first, words;
  } ranges[] = {{0, 1},
                {CARD - 1, 1},
                {CARD - 1, 2},
                {0, CARD},
                {1, CARD},
                {3 * CARD, 2 * CARD},
                {GROUP - 1, 1},
                {GROUP - 1, 2},
                {GROUP, GROUP},
                {GROUP - CARD, GROUP + CARD + 1},
                {0, WORDS - SOURCE},
                {CARD, 0},
                {CARD + 1, 0},
                {GROUP, 0}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    struct range range = ranges[i];
    struct tables expected = {0};
    for (unsigned word = range.first; word < range.first + range.words; word++) {
      expected.cards[word / CARD] = SPGC_CARD_DIRTY;
      expected.group_cards[word / GROUP] = SPGC_CARD_DIRTY;
    }
    open_tables(1);
    fields[range.first] = 0;
    fields[WORDS - 1] = i + 1;
    copy(&fields[range.first], &fields[WORDS - range.words], range.words * 8);
    ck_assert_mem_eq(&tables, &expected, sizeof tables);
    if (range.words != 1)
      continue;
    open_tables(1);
    fields[range.first] = 0;
    copy_word(&fields[range.first], &fields[WORDS - 1], 8);
    ck_assert_uint_eq(fields[range.first], i + 1);
    ck_assert_mem_eq(&tables, &expected, sizeof tables);
  }
  open_tables(1);
  copy(NULL, NULL, 0);
  ck_assert_mem_eq(&tables, &(struct tables){0}, sizeof tables);
  stop_jit();
}
END_TEST

int main(void) {
  struct spgc_error error;
  if (spgc_llvm_initialise(&error) != SPGC_OK)
    return EXIT_FAILURE;
  Suite *suite = suite_create("codegen-prelude");
  TCase *tcase = tcase_create("prelude");
  tcase_add_test(tcase, allocations_keep_the_ids_that_the_frontend_gave_them);
  tcase_add_test(tcase, allocations_keep_the_deopt_state_that_the_frontend_gave_them);
  tcase_add_test(tcase, a_statepoint_relocates_what_is_used_after_it);
  tcase_add_test(tcase, a_statepoint_relocates_the_vectors_of_its_deopt_state);
  tcase_add_test(tcase, a_function_keeps_its_attributes);
  tcase_add_test(tcase, a_constant_descriptor_gives_a_constant_size);
  tcase_add_test(tcase, an_unknown_descriptor_is_read);
  tcase_add_test(tcase, zeroing_that_initialising_stores_cover_goes_away);
  tcase_add_test(tcase, zeroing_stays_where_a_safepoint_comes_before_the_stores);
  tcase_add_test(tcase, zeroing_stays_where_a_poll_comes_before_the_stores);
  tcase_add_test(tcase, each_allocation_reads_the_cursor_anew);
  tcase_add_test(tcase, an_unused_allocation_goes_away);
  tcase_add_test(tcase, a_short_array_of_known_length_is_cleared_by_stores);
  tcase_add_test(tcase, a_long_length_goes_to_the_slow_path);
  tcase_add_loop_test(tcase, a_store_has_a_barrier_iff_it_may_store_an_object, 0,
                      sizeof stored / sizeof *stored);
  tcase_add_test(tcase, a_function_of_many_stores_has_barriers_without_branches);
  tcase_add_test(tcase, a_store_into_a_fresh_object_needs_no_barrier);
  tcase_add_test(tcase, a_store_into_a_result_needs_a_barrier);
  tcase_add_loop_test(tcase, a_store_into_a_fresh_array_needs_no_barrier_if_it_is_short, 0,
                      sizeof fresh_arrays / sizeof *fresh_arrays);
  tcase_add_test(tcase, a_store_into_either_of_two_fresh_objects_needs_no_barrier);
  tcase_add_test(tcase, a_store_into_any_of_three_fresh_objects_needs_no_barrier);
  tcase_add_test(tcase, a_store_into_any_of_many_fresh_objects_has_a_barrier);
  tcase_add_test(tcase, a_store_after_a_safepoint_on_one_path_needs_a_barrier);
  tcase_add_test(tcase, atomic_and_vector_stores_have_barriers);
  tcase_add_test(tcase, a_copy_marks_the_cards_of_its_destination);
  tcase_add_test(tcase, a_copy_marks_cards_if_its_destination_is_an_object_that_may_be_old);
  tcase_add_test(tcase, a_length_is_not_negative);
  tcase_add_test(tcase, a_copy_from_a_constant_has_no_barrier);
  tcase_add_test(tcase, a_copy_of_one_word_has_a_barrier);
  tcase_add_test(tcase, a_copy_in_a_module_of_leaves_has_a_barrier);
  tcase_add_test(tcase, polls_stand_at_entries_and_in_loops_as_asked);
  tcase_add_test(tcase, an_explicit_poll_and_the_stack_check_are_in_line);
  tcase_add_test(tcase, jit_code_reaches_the_thread_through_fs);
  tcase_add_test(tcase, the_record_lists_every_word_that_holds_a_reference);
  tcase_add_test(tcase, a_module_with_nothing_managed_stays_without_a_record);
  tcase_add_test(tcase, the_program_keeps_its_own_constructors);
  tcase_add_test(tcase, integers_of_objects_are_integers_to_the_optimiser);
  tcase_add_test(tcase, a_context_may_discard_the_names_of_values);
  tcase_add_test(tcase, a_store_dirties_its_card_and_is_buffered_while_its_group_has_few);
  tcase_add_test(tcase, a_copy_dirties_the_cards_of_its_destination_and_of_nothing_else);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
