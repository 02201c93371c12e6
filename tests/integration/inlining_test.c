/* Functions without gc may use what managed ones may not. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/integration/compile.h"
#include "tests/support/suite.h"

enum { LEVELS = 4 };

struct thing {
  const char *instructions, *convention, *attributes;
};

static const struct thing things[] = {
    {"  call void asm sideeffect \"nop\", \"\"()\n", "", ""},
    {"  %v = call i32 (ptr, ...) @print(ptr null)\n", "", ""},
    {"  %v = call i256 @wide()\n", "", ""},
    {"  %v = call x86_fp80 @extended()\n", "", ""}, /* with LLVM 22 */
    {"  call preserve_mostcc void @other()\n", "", ""},
    {"  %v = invoke i256 @wide() to label %normal unwind label %pad\n"
     "pad:\n"
     "  %caught = landingpad { ptr, i32 } catch ptr null\n"
     "  br label %normal\n"
     "normal:\n",
     "", "personality ptr @personality"},
    {"", "preserve_mostcc", ""},
    {"", "", "\"no_caller_saved_registers\""},
    {"", "", "speculative_load_hardening"},
    {"", "", "safestack"},
};

/* 1: a convention, 2: attributes, 3: instructions. */
#define MEETINGS                                                                                   \
  "declare void @visit(ptr addrspace(1))\n"                                                        \
  "declare i32 @print(ptr, ...)\n"                                                                 \
  "declare i256 @wide()\n"                                                                         \
  "declare x86_fp80 @extended()\n"                                                                 \
  "declare preserve_mostcc void @other()\n"                                                        \
  "declare i32 @personality(...)\n"                                                                \
  "@root = global ptr addrspace(1) null\n"                                                         \
  "@counter = global i64 0\n"                                                                      \
  "define internal i64 @managed(i64 %%n) gc \"statepoint-example\" {\n"                            \
  "  %%o = load ptr addrspace(1), ptr @root\n"                                                     \
  "  call void @visit(ptr addrspace(1) %%o)\n"                                                     \
  "  ret i64 %%n\n"                                                                                \
  "}\n"                                                                                            \
  "define internal i64 @manages(i64 %%n) {\n"                                                      \
  "  %%r = call i64 @managed(i64 %%n)\n"                                                           \
  "  ret i64 %%r\n"                                                                                \
  "}\n" /* into which managed functions are inlined: directly, in two steps, through a pointer */  \
  "define %1$s i64 @direct(i64 %%n) %2$s {\n%3$s"                                                  \
  "  %%r = call i64 @managed(i64 %%n)\n"                                                           \
  "  ret i64 %%r\n"                                                                                \
  "}\n"                                                                                            \
  "define %1$s i64 @in_two_steps(i64 %%n) %2$s {\n%3$s"                                            \
  "  %%r = call i64 @manages(i64 %%n)\n"                                                           \
  "  ret i64 %%r\n"                                                                                \
  "}\n"                                                                                            \
  "define internal %1$s i64 @apply(ptr %%function, i64 %%n) %2$s {\n%3$s"                          \
  "  %%r = call i64 %%function(i64 %%n)\n"                                                         \
  "  ret i64 %%r\n"                                                                                \
  "}\n"                                                                                            \
  "define i64 @through_pointer(i64 %%n) {\n"                                                       \
  "  %%r = call %1$s i64 @apply(ptr @managed, i64 %%n)\n"                                          \
  "  ret i64 %%r\n"                                                                                \
  "}\n" /* is inlined: in two steps, and when it asks for it */                                    \
  "define internal %1$s i64 @holder(i64 %%n) %2$s {\n%3$s"                                         \
  "  store i64 %%n, ptr @counter\n"                                                                \
  "  ret i64 %%n\n"                                                                                \
  "}\n"                                                                                            \
  "define internal i64 @holds(i64 %%n) {\n"                                                        \
  "  %%r = call %1$s i64 @holder(i64 %%n)\n"                                                       \
  "  ret i64 %%r\n"                                                                                \
  "}\n"                                                                                            \
  "define i64 @into_managed(ptr addrspace(1) %%o, i64 %%n) gc \"statepoint-example\" {\n"          \
  "  %%r = call i64 @holds(i64 %%n)\n"                                                             \
  "  call void @visit(ptr addrspace(1) %%o)\n"                                                     \
  "  ret i64 %%r\n"                                                                                \
  "}\n"                                                                                            \
  "define void @asks() alwaysinline {\n"                                                           \
  "  %%r = call %1$s i64 @holder(i64 1)\n"                                                         \
  "  ret void\n"                                                                                   \
  "}\n"                                                                                            \
  "define i64 @known_after_promotion(i64 %%n) gc \"statepoint-example\" {\n"                       \
  "  %%pointer = alloca ptr\n"                                                                     \
  "  store ptr @asks, ptr %%pointer\n"                                                             \
  "  %%function = load ptr, ptr %%pointer\n"                                                       \
  "  call void %%function()\n"                                                                     \
  "  %%r = call i64 @managed(i64 %%n)\n"                                                           \
  "  ret i64 %%r\n"                                                                                \
  "}\n"

START_TEST(no_level_refuses_what_only_inlining_would_bring_together) {
  const struct thing *thing = &things[_i / LEVELS];
  struct spgc_lower_options options;
  char *text;
  ck_assert_int_ne(
      asprintf(&text, MEETINGS, thing->convention, thing->attributes, thing->instructions), -1);
  spgc_lower_options_default(&options);
  options.optimisation = (unsigned)(_i % LEVELS);
  LLVMDisposeMemoryBuffer(compile_object(text, &options));
  free(text);
}
END_TEST

START_TEST(what_may_be_together_is_inlined) {
  static const char text[] =
      "declare void @visit(ptr addrspace(1))\n"
      "@root = global ptr addrspace(1) null\n"
      "define internal i64 @managed(i64 %n) gc \"statepoint-example\" {\n"
      "  %o = load ptr addrspace(1), ptr @root\n"
      "  call void @visit(ptr addrspace(1) %o)\n"
      "  ret i64 %n\n"
      "}\n"
      "define internal i64 @assembly(i64 %n) {\n"
      "  call void asm sideeffect \"nop\", \"\"()\n"
      "  ret i64 %n\n"
      "}\n"
      "define internal i64 @plain(i64 %n) {\n"
      "  %more = add i64 %n, 1\n"
      "  ret i64 %more\n"
      "}\n"
      "define i64 @plain_into_managed(ptr addrspace(1) %o, i64 %n) gc \"statepoint-example\" {\n"
      "  call void @visit(ptr addrspace(1) %o)\n"
      "  %r = call i64 @plain(i64 %n)\n"
      "  ret i64 %r\n"
      "}\n"
      "define i64 @managed_into_plain(i64 %n) {\n"
      "  %r = call i64 @managed(i64 %n)\n"
      "  ret i64 %r\n"
      "}\n"
      "define i64 @assembly_into_unmanaged(i64 %n) {\n"
      "  %r = call i64 @assembly(i64 %n)\n"
      "  ret i64 %r\n"
      "}\n";
  char *lowered = compile_lowered_at(text, 2);
  ck_assert_times(lowered, "@plain(", 0);
  ck_assert_times(lowered, "@managed(", 0);
  ck_assert_times(lowered, "@assembly(", 0);
  ck_assert_times(lowered, "spgc.unmanaged", 0);
  LLVMDisposeMessage(lowered);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-inlining");
  TCase *tests = tcase_create("inlining");
  struct spgc_error error;
  if (spgc_llvm_initialise(&error) != SPGC_OK)
    return EXIT_FAILURE;
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, no_level_refuses_what_only_inlining_would_bring_together, 0,
                      LEVELS * (int)(sizeof things / sizeof *things));
  tcase_add_test(tests, what_may_be_together_is_inlined);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
