/* Words that may be references are hidden from the optimiser in functions without references, too.
 * Where such a function has no safepoint, loops over them are optimised all the same. */
#include <stdlib.h>
#include <string.h>

#include "tests/integration/compile.h"
#include "tests/support/suite.h"

/* A module with safepoints. */
#define MANAGED                                                                                    \
  "@root = global ptr addrspace(1) null\n"                                                         \
  "declare void @visit(ptr addrspace(1))\n"                                                        \
  "define void @managed() noinline gc \"statepoint-example\" {\n"                                  \
  "  %o = load ptr addrspace(1), ptr @root\n"                                                      \
  "  call void @visit(ptr addrspace(1) %o)\n"                                                      \
  "  ret void\n"                                                                                   \
  "}\n"

/* The words go through a function that is inlined. `call` is done in each round. */
#define LOOP(name, call)                                                                           \
  "define internal i64 @read_for_" name "(ptr %from) {\n"                                          \
  "  %word = load i64, ptr %from\n"                                                                \
  "  ret i64 %word\n"                                                                              \
  "}\n"                                                                                            \
  "define void @" name "(ptr noalias %to, ptr noalias %from, i64 %n) noinline {\n"                 \
  "entry:\n"                                                                                       \
  "  br label %loop\n"                                                                             \
  "loop:\n"                                                                                        \
  "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"                                               \
  "  %source = getelementptr i64, ptr %from, i64 %i\n"                                             \
  "  %word = call i64 @read_for_" name "(ptr %source)\n"                                           \
  "  %tagged = xor i64 %word, 1\n"                                                                 \
  "  %target = getelementptr i64, ptr %to, i64 %i\n"                                               \
  "  store i64 %tagged, ptr %target\n" call "  %next = add nuw nsw i64 %i, 1\n"                    \
  "  %more = icmp ult i64 %next, 64\n"                                                             \
  "  br i1 %more, label %loop, label %done\n"                                                      \
  "done:\n"                                                                                        \
  "  ret void\n"                                                                                   \
  "}\n"

static const char without_safepoint[] = MANAGED LOOP("plain", "");
static const char calling[] = MANAGED LOOP("calling", "  call void @managed()\n");

/* What the optimiser leaves alone meanwhile keeps no mark of that. */
static void assert_no_marks(const char *lowered) {
  ck_assert_times(lowered, "optnone", 0);
  ck_assert_times(lowered, "spgc.noinline", 0);
  ck_assert_times(lowered, "spgc.word", 0);
}

START_TEST(loops_without_safepoints_are_vectorised) {
  char *lowered = compile_lowered_at(without_safepoint, (unsigned)_i);
  ck_assert_msg((strstr(lowered, "store <") != NULL) == (_i >= 2), "-O%d: %s", _i, lowered);
  assert_no_marks(lowered);
  LLVMDisposeMessage(lowered);
}
END_TEST

START_TEST(words_around_safepoints_stay_words) {
  char *lowered = compile_lowered_at(calling, (unsigned)_i);
  ck_assert_times(lowered, "store <", 0);
  assert_no_marks(lowered);
  LLVMDisposeMessage(lowered);
}
END_TEST

/* The callee claims to touch no memory. The second word is read behind the call. */
START_TEST(words_are_read_on_both_sides_of_a_call) {
  static const char text[] =
      MANAGED "define void @twice(ptr noalias %a, ptr noalias %b, ptr noalias %from) {\n"
              "  %first = load i64, ptr %from\n"
              "  store i64 %first, ptr %a\n"
              "  call void @managed() memory(inaccessiblemem: readwrite)\n"
              "  %second = load i64, ptr %from\n"
              "  store i64 %second, ptr %b\n"
              "  ret void\n"
              "}\n";
  char *lowered = compile_lowered_at(text, (unsigned)_i);
  const char *twice = strstr(lowered, "@twice(");
  ck_assert_times(twice, "load i64, ptr %from", 2);
  LLVMDisposeMessage(lowered);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-second-run");
  TCase *tests = tcase_create("second run");
  struct spgc_error error;
  if (spgc_llvm_initialise(&error) != SPGC_OK)
    return EXIT_FAILURE;
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, loops_without_safepoints_are_vectorised, 0, 4);
  tcase_add_loop_test(tests, words_around_safepoints_stay_words, 0, 4);
  tcase_add_loop_test(tests, words_are_read_on_both_sides_of_a_call, 0, 4);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
