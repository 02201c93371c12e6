#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/compile.h"
#include "tests/support/suite.h"

enum { MOST_FINDINGS = 16 };

struct findings {
  struct spgc_error at[MOST_FINDINGS];
  unsigned count;
};

static void keep(void *context, const struct spgc_error *finding) {
  struct findings *findings = context;
  ck_assert_uint_lt(findings->count, MOST_FINDINGS);
  findings->at[findings->count++] = *finding;
}

static enum spgc_result lint(const char *text, struct findings *findings,
                             struct spgc_error *error) {
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  findings->count = 0;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(context, text);
  enum spgc_result result = spgc_lint_module(module, &options, keep, findings, error);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return result;
}

static bool has(const struct findings *findings, unsigned rule, const char *function) {
  for (unsigned i = 0; i < findings->count; i++)
    if (findings->at[i].rule == rule && strcmp(findings->at[i].function, function) == 0)
      return true;
  return false;
}

#define DECLARATIONS                                                                               \
  "declare void @collect()\n"                                                                      \
  "declare void @take(ptr addrspace(1))\n"

#define GOOD                                                                                       \
  "define i64 @good(ptr addrspace(1) %o) gc \"statepoint-example\" {\n"                            \
  "  call void @collect()\n  %n = load i64, ptr addrspace(1) %o\n  ret i64 %n\n}\n"

#define TWICE                                                                                      \
  "define void @twice(ptr addrspace(1) %o) gc \"statepoint-example\" {\n"                          \
  "  %at = getelementptr i8, ptr addrspace(1) %o, i64 8\n"                                         \
  "  call void @take(ptr addrspace(1) %at)\n"                                                      \
  "  %plain = addrspacecast ptr addrspace(1) %o to ptr\n  ret void\n}\n"

#define BOTH                                                                                       \
  "define ptr addrspace(1) @both(i64 %n) gc \"statepoint-example\" {\n"                            \
  "  %v = alloca i64\n  store i64 %n, ptr %v\n  call void @collect()\n"                            \
  "  %r = load ptr addrspace(1), ptr %v\n  ret ptr addrspace(1) %r\n}\n"
#define TAG                                                                                        \
  "define ptr addrspace(1) @tag(ptr addrspace(1) %o) gc \"statepoint-example\" {\n"                \
  "  %a = ptrtoint ptr addrspace(1) %o to i64\n  %b = and i64 %a, -8\n"                            \
  "  %c = inttoptr i64 %b to ptr addrspace(1)\n  ret ptr addrspace(1) %c\n}\n"

static void assert_is_finding(const struct spgc_error *finding) {
  ck_assert_int_eq(finding->code, SPGC_ERROR_REJECTED);
  ck_assert_str_ne(finding->block, "");
  ck_assert_ptr_nonnull(strstr(finding->message, finding->function));
}

START_TEST(every_stage_reports_what_it_finds) {
  static const struct {
    const char *text, *function;
    unsigned rule;
  } stages[] = {{TWICE, "twice", 1}, {TWICE, "twice", 3}, {BOTH, "both", 12}, {TAG, "tag", 5}};
  struct findings findings;
  struct spgc_error error;
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s", DECLARATIONS GOOD, stages[i].text);
    ck_assert_ok(lint(text, &findings, &error), error);
    ck_assert_uint_eq(findings.count, strcmp(stages[i].function, "twice") == 0 ? 2 : 1);
    ck_assert(has(&findings, stages[i].rule, stages[i].function));
    for (unsigned k = 0; k < findings.count; k++)
      assert_is_finding(&findings.at[k]);
  }
}
END_TEST

START_TEST(a_module_that_keeps_the_rules_has_no_findings) {
  struct findings findings;
  struct spgc_error error;
  ck_assert_ok(lint(DECLARATIONS GOOD, &findings, &error), error);
  ck_assert_uint_eq(findings.count, 0);
}
END_TEST

START_TEST(the_first_stage_that_finds_something_ends_the_lint) {
  struct findings findings;
  struct spgc_error error;
  ck_assert_ok(lint("@t = thread_local global ptr addrspace(1) null\n" DECLARATIONS TWICE TAG,
                    &findings, &error),
               error);
  ck_assert_uint_eq(findings.count, 3);
  ck_assert(has(&findings, 23, ""));
  ck_assert(has(&findings, 1, "twice"));
  ck_assert(has(&findings, 3, "twice"));
}
END_TEST

START_TEST(invalid_ir_and_other_machines_are_errors_not_findings) {
  struct findings findings;
  struct spgc_error error;
  ck_assert_int_eq(lint("define void @f() gc \"statepoint-example\" {\n  %x = call i32 @g(i32 %x)\n"
                        "  ret void\n}\ndeclare i32 @g(i32)\n",
                        &findings, &error),
                   SPGC_ERROR_MALFORMED);
  ck_assert_int_eq(lint("target triple = \"riscv64-unknown-linux-gnu\"\n" GOOD
                        "declare void @collect()\n",
                        &findings, &error),
                   SPGC_ERROR_UNSUPPORTED);
  ck_assert_uint_eq(findings.count, 0);
}
END_TEST

int main(void) {
  struct spgc_error error;
  if (spgc_llvm_initialise(&error) != SPGC_OK)
    return EXIT_FAILURE;
  Suite *suite = suite_create("codegen-lint");
  TCase *tcase = tcase_create("lint");
  tcase_add_test(tcase, every_stage_reports_what_it_finds);
  tcase_add_test(tcase, a_module_that_keeps_the_rules_has_no_findings);
  tcase_add_test(tcase, the_first_stage_that_finds_something_ends_the_lint);
  tcase_add_test(tcase, invalid_ir_and_other_machines_are_errors_not_findings);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
