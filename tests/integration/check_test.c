/* Every file of ir/rejected is rejected for the reason in its first line; every file of ir/accepted
 * generates code at every level. */
#include <dirent.h>
#include <err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/compile.h"
#include "tests/support/suite.h"

/* A process takes several files, because forking with LLVM takes as long as lowering one. */
enum { MOST_FILES = 256, LEVELS = 4, GROUPS = 8 };

struct folder {
  const char *name;
  char *files[MOST_FILES];
  int count;
};

static unsigned stride = 1;

static struct folder rejected = {.name = "rejected"}, accepted = {.name = "accepted"};

static int compare_names(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

static void list(struct folder *folder) {
  char path[512];
  snprintf(path, sizeof path, "%s/ir/%s", getenv("SPGC_TEST_SOURCES"), folder->name);
  DIR *directory = opendir(path);
  if (directory == NULL)
    err(EXIT_FAILURE, "%s", path);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (strstr(entry->d_name, ".ll") == NULL)
      continue;
    if (folder->count == MOST_FILES ||
        asprintf(&folder->files[folder->count++], "%s/%s", folder->name, entry->d_name) < 0)
      errx(EXIT_FAILURE, "%s holds too many files", path);
  }
  closedir(directory);
  qsort(folder->files, (size_t)folder->count, sizeof *folder->files, compare_names);
}

static char *printed(LLVMModuleRef module) {
  return LLVMPrintModuleToString(module);
}

/* The rest of a first line "; rejected: REASON". */
static char *reason(const char *text) {
  static const char mark[] = "; rejected: ";
  ck_assert(strncmp(text, mark, sizeof mark - 1) == 0);
  const char *start = text + sizeof mark - 1;
  return strndup(start, strcspn(start, "\n"));
}

static void assert_rejected(const char *file, const char *text, unsigned level) {
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.optimisation = level;
  struct spgc_error error = {0};
  enum spgc_result result = compile_result(text, &options, &error);
  ck_assert_msg(result == SPGC_ERROR_REJECTED, "%s at -O%u: %s", file, level,
                spgc_result_name(result));
  ck_assert_int_eq(error.code, SPGC_ERROR_REJECTED);
  char *expected = reason(text);
  ck_assert_msg(strstr(error.message, expected) != NULL, "%s at -O%u: %s", file, level,
                error.message);
  ck_assert_msg(strstr(error.message, "; ") != NULL, "%s: no remedy in: %s", file, error.message);
  ck_assert_msg(strlen(error.message) + 1 < sizeof error.message, "%s: cut off: %s", file,
                error.message);
  free(expected);
}

static void assert_left_as_it_is(const char *text) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(context, text);
  char *before = printed(module);
  struct spgc_error error;
  if (spgc_check_module(module, &error) != SPGC_OK) {
    char *after_check = printed(module);
    ck_assert_str_eq(before, after_check);
    struct spgc_lower_options options;
    spgc_lower_options_default(&options);
    ck_assert_int_eq(spgc_lower_module(module, &options, &error), SPGC_ERROR_REJECTED);
    char *after_lowering = printed(module);
    ck_assert_str_eq(before, after_lowering);
    LLVMDisposeMessage(after_lowering);
    LLVMDisposeMessage(after_check);
  }
  LLVMDisposeMessage(before);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

/* In files named o0_, the optimiser removes the cause. */
static void assert_rejected_at_each_level(const char *file) {
  char *text = compile_read(file);
  assert_left_as_it_is(text);
  unsigned levels = strstr(file, "/o0_") != NULL ? 1 : LEVELS;
  for (unsigned level = 0; level < levels; level++)
    assert_rejected(file, text, level);
  free(text);
}

START_TEST(what_would_lose_references_is_rejected_with_its_reason) {
  for (int file = _i; file < rejected.count; file += GROUPS)
    assert_rejected_at_each_level(rejected.files[file]);
}
END_TEST

/* Compilers of earlier releases do not know `cpu`; those of later ones set more. */
START_TEST(options_of_other_releases_are_taken_or_refused) {
  enum { EARLIER = offsetof(struct spgc_lower_options, cpu), LATER_BYTES = 32 };
  struct {
    struct spgc_lower_options known;
    unsigned char members[LATER_BYTES];
  } options;
  const size_t sizes[] = {EARLIER, sizeof options};
  LLVMContextRef context = LLVMContextCreate();
  struct spgc_error error;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    LLVMModuleRef module = compile_parse(context, "define i32 @one() { ret i32 1 }");
    memset(&options, 0x5a, sizeof options);
    options.known.size = sizes[i];
    spgc_lower_options_initialise(&options.known);
    ck_assert_uint_eq(options.known.optimisation, 2);
    if (sizes[i] != EARLIER)
      ck_assert_int_eq(options.known.barriers, SPGC_BARRIERS_CARDS);
    ck_assert_msg(spgc_lower_module(module, &options.known, &error) == SPGC_OK, "%s",
                  error.message);
    LLVMMemoryBufferRef object;
    ck_assert_int_eq(spgc_emit_module(module, &options.known, LLVMObjectFile, &object, &error),
                     SPGC_OK);
    LLVMDisposeMemoryBuffer(object);
    LLVMDisposeModule(module);
  }
  LLVMModuleRef module = compile_parse(context, "define i32 @one() { ret i32 1 }");
  options.members[0] = 1;
  ck_assert_int_eq(spgc_lower_module(module, &options.known, &error), SPGC_ERROR_UNSUPPORTED);
  options.known.size = 0;
  ck_assert_int_eq(spgc_lower_module(module, &options.known, &error), SPGC_ERROR_INVALID_ARGUMENT);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}
END_TEST

static void ignore(void *context, const struct spgc_error *finding) {
}

static enum spgc_result lower_and_lint(const struct spgc_lower_options *options,
                                       struct spgc_error *error) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(context, "define i32 @one() { ret i32 1 }");
  enum spgc_result linted = spgc_lint_module(module, options, ignore, NULL, error);
  enum spgc_result lowered = spgc_lower_module(module, options, error);
  ck_assert_int_eq(linted, lowered);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return lowered;
}

START_TEST(constants_of_later_releases_are_refused) {
  enum { LATER = 9 };
  struct spgc_error error;
  struct spgc_lower_options options[3];
  for (int i = 0; i < 3; i++)
    spgc_lower_options_default(&options[i]);
  options[0].code = (enum spgc_code)LATER;
  options[1].polls = (enum spgc_polls)LATER;
  options[2].barriers = (enum spgc_barriers)LATER;
  for (int i = 0; i < 3; i++) {
    ck_assert_int_eq(lower_and_lint(&options[i], &error), SPGC_ERROR_INVALID_ARGUMENT);
    ck_assert_msg(strstr(error.message, "is not one of its constants") != NULL, "%s",
                  error.message);
  }
}
END_TEST

static void assert_lowers(const char *file, const char *text, unsigned level, enum spgc_code code,
                          enum spgc_polls polls) {
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.optimisation = level;
  options.code = code;
  options.polls = polls;
  options.verify_each = true;
  struct spgc_error error;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(context, text);
  enum spgc_result result = spgc_lower_module(module, &options, &error);
  ck_assert_msg(result == SPGC_OK, "%s at -O%u: %s", file, level, error.message);
  LLVMMemoryBufferRef object;
  ck_assert_ok(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error), error);
  ck_assert_uint_gt(LLVMGetBufferSize(object), 0);
  LLVMDisposeMemoryBuffer(object);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}

static void assert_group_lowers(int group, enum spgc_code code, enum spgc_polls polls) {
  for (int number = group; number < accepted.count; number += GROUPS) {
    const char *file = accepted.files[number];
    char *text = compile_read(file);
    for (unsigned level = (unsigned)number % stride; level < LEVELS; level += stride)
      assert_lowers(file, text, level, code, polls);
    free(text);
  }
}

START_TEST(what_keeps_its_references_is_accepted) {
  assert_group_lowers(_i, SPGC_CODE_AHEAD_OF_TIME, SPGC_POLLS_ENTRIES_AND_LOOPS);
}
END_TEST

START_TEST(what_keeps_its_references_is_accepted_for_the_jit) {
  assert_group_lowers(_i, SPGC_CODE_JIT, SPGC_POLLS_LOOPS);
}
END_TEST

/* LLVM knows most of these, and each version knows more. */
START_TEST(library_functions_that_call_back_are_safepoints) {
  static const char text[] = "declare void @exit(i32)\n"
                             "declare void @qsort(ptr, i64, i64, ptr)\n"
                             "declare ptr @bsearch(ptr, ptr, i64, i64, ptr)\n"
                             "declare i32 @fork()\n"
                             "declare ptr @_Znwm(i64)\n"
                             "declare void @_ZSt9terminatev()\n"
                             "declare void @__cxa_throw(ptr, ptr, ptr)\n"
                             "define void @f(ptr %p) gc \"statepoint-example\" {\n"
                             "  call void @qsort(ptr %p, i64 1, i64 8, ptr %p)\n"
                             "  %found = call ptr @bsearch(ptr %p, ptr %p, i64 1, i64 8, ptr %p)\n"
                             "  %process = call i32 @fork()\n"
                             "  %memory = call ptr @_Znwm(i64 8)\n"
                             "  store volatile ptr %memory, ptr %p\n"
                             "  call void @exit(i32 1)\n"
                             "  ret void\n"
                             "}\n"
                             "define void @g(ptr %p) gc \"statepoint-example\" {\n"
                             "  call void @__cxa_throw(ptr %p, ptr %p, ptr null)\n"
                             "  ret void\n"
                             "}\n"
                             "define void @h() gc \"statepoint-example\" {\n"
                             "  call void @_ZSt9terminatev()\n"
                             "  ret void\n"
                             "}\n";
  static const char *const names[] = {"exit",  "qsort",           "bsearch",    "fork",
                                      "_Znwm", "_ZSt9terminatev", "__cxa_throw"};
  for (unsigned level = 0; level < LEVELS; level++) {
    char *lowered = compile_lowered_at(text, level);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      char plain[64];
      snprintf(plain, sizeof plain, "@%s(", names[i]);
      ck_assert_times(lowered, plain, 1);
    }
    LLVMDisposeMessage(lowered);
  }
}
END_TEST

START_TEST(a_rejection_names_function_instruction_and_remedy) {
  char *text = compile_read("rejected/interior_returned.ll");
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  struct spgc_error error;
  ck_assert_int_eq(compile_result(text, &options, &error), SPGC_ERROR_REJECTED);
  ck_assert_str_eq(
      error.message,
      "function 'f', block '%0': `ret ptr addrspace(1) %field`: an interior pointer is returned, "
      "and the "
      "caller takes it for the address of an object; return the object's own address, and "
      "the offset (in C, an index) separately");
  free(text);
}
END_TEST

START_TEST(a_broken_module_is_malformed) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("broken", context);
  LLVMTypeRef type = LLVMFunctionType(LLVMInt64TypeInContext(context), NULL, 0, false);
  LLVMAppendBasicBlockInContext(context, LLVMAddFunction(module, "f", type), "entry");
  struct spgc_error error;
  ck_assert_int_eq(spgc_check_module(module, &error), SPGC_ERROR_MALFORMED);
  ck_assert_ptr_nonnull(strstr(error.message, "does not have terminator"));
  ck_assert_ptr_null(strchr(error.message, '\n'));
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}
END_TEST

START_TEST(a_module_for_another_machine_is_unsupported) {
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  struct spgc_error error;
  ck_assert_int_eq(compile_result("target datalayout = \"e-p:32:32\"\n", &options, &error),
                   SPGC_ERROR_UNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(error.message, "e-p:32:32"));
  ck_assert_int_eq(compile_result("target triple = \"riscv64-linux-gnu\"\n", &options, &error),
                   SPGC_ERROR_UNSUPPORTED);
  options.target = "x86_64-linux-gnu";
  ck_assert_int_eq(compile_result("target triple = \"aarch64-linux-gnu\"\n", &options, &error),
                   SPGC_ERROR_UNSUPPORTED);
  options.target = "aarch64-linux-gnu";
  ck_assert_int_eq(compile_result("target triple = \"aarch64-linux-musl\"\n", &options, &error),
                   SPGC_OK);
  ck_assert_int_eq(compile_result("target triple = \"x86_64-linux-gnu\"\n", &options, &error),
                   SPGC_ERROR_UNSUPPORTED);
  options.target = NULL;
  ck_assert_int_eq(compile_result("target triple = \"x86_64-apple-macos\"\n", &options, &error),
                   SPGC_ERROR_UNSUPPORTED);
  ck_assert_int_eq(
      compile_result("target triple = \"x86_64-unknown-linux-musl\"\n", &options, &error), SPGC_OK);
  ck_assert_int_eq(compile_result("target triple = \"x86_64-linux-gnux32\"\n", &options, &error),
                   SPGC_ERROR_UNSUPPORTED);
  options.target = "x86_64-linux-musl";
  ck_assert_int_eq(compile_result("", &options, &error), SPGC_OK);
  options.code = SPGC_CODE_JIT;
  ck_assert_int_eq(compile_result("", &options, &error), SPGC_ERROR_INVALID_ARGUMENT);
  options.target = NULL;
  options.barriers = SPGC_BARRIERS_NONE;
  ck_assert_int_eq(compile_result("", &options, &error), SPGC_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(rules_are_of_the_targets_processor) {
  static const char seven_words[] =
      "declare i64 @g(i64, i64, i64, i64, i64, i64, i64)\n"
      "define i64 @f(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %g, i64 %h) "
      "gc \"statepoint-example\" {\n"
      "  %r = musttail call i64 @g(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %g, i64 %h)\n"
      "  ret i64 %r\n}\n";
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  struct spgc_error error;
  options.target = "x86_64-linux-gnu";
  ck_assert_int_eq(compile_result(seven_words, &options, &error), SPGC_ERROR_REJECTED);
  options.target = "aarch64-linux-gnu";
  ck_assert_int_eq(compile_result(seven_words, &options, &error), SPGC_OK);
}
END_TEST

START_TEST(an_optimisation_level_beyond_3_is_an_invalid_argument) {
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.optimisation = 4;
  struct spgc_error error;
  ck_assert_int_eq(compile_result("", &options, &error), SPGC_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(a_module_that_was_lowered_in_part_is_not_emitted) {
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.last_stage = "statepoints";
  struct spgc_error error;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(context, "");
  LLVMMemoryBufferRef object;
  ck_assert_ok(spgc_lower_module(module, &options, &error), error);
  ck_assert_int_eq(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_msg(strstr(error.message, "last_stage") != NULL, "%s", error.message);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}
END_TEST

START_TEST(a_module_is_lowered_once) {
  static const char *const texts[] = {"define i32 @one() { ret i32 1 }",
                                      "@kept = global ptr addrspace(1) null"};
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  struct spgc_error error;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char *lowered = compile_lowered(texts[i], &options);
    ck_assert_int_eq(compile_result(lowered, &options, &error), SPGC_ERROR_REJECTED);
    ck_assert_msg(strstr(error.message, "the module was lowered already; ") != NULL, "%s",
                  error.message);
    ck_assert_uint_eq(error.rule, 28);
    LLVMDisposeMessage(lowered);
  }
}
END_TEST

/* LLVM itself would print the error and end the process. */
START_TEST(an_error_in_inline_assembly_is_an_error) {
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  struct spgc_error error;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(
      context, "define void @f() {\n  call void asm sideeffect \"nop\\0A bogus %rax\", "
               "\"\"()\n  ret void\n}\n");
  LLVMMemoryBufferRef object;
  ck_assert_ok(spgc_lower_module(module, &options, &error), error);
  ck_assert_int_eq(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error),
                   SPGC_ERROR_REJECTED);
  ck_assert_msg(strstr(error.message, "bogus") != NULL, "%s", error.message);
  ck_assert_ptr_null(strchr(error.message, '\n'));
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
}
END_TEST

static TCase *add_case(Suite *suite, const char *name) {
  TCase *tcase = tcase_create(name);
  tcase_set_timeout(tcase, 60);
  suite_add_tcase(suite, tcase);
  return tcase;
}

int main(void) {
  struct spgc_error error;
  if (spgc_llvm_initialise(&error) != SPGC_OK)
    return EXIT_FAILURE;
  stride = compile_level_stride();
  list(&rejected);
  list(&accepted);
  Suite *suite = suite_create("codegen-check");
  TCase *tcase = add_case(suite, "rejected");
  tcase_add_loop_test(tcase, what_would_lose_references_is_rejected_with_its_reason, 0, GROUPS);
  tcase_add_test(tcase, a_rejection_names_function_instruction_and_remedy);
  tcase_add_test(tcase, library_functions_that_call_back_are_safepoints);
  tcase_add_test(tcase, a_broken_module_is_malformed);
  tcase_add_test(tcase, a_module_for_another_machine_is_unsupported);
  tcase_add_test(tcase, rules_are_of_the_targets_processor);
  tcase_add_test(tcase, an_optimisation_level_beyond_3_is_an_invalid_argument);
  tcase_add_test(tcase, a_module_that_was_lowered_in_part_is_not_emitted);
  tcase_add_test(tcase, a_module_is_lowered_once);
  tcase_add_test(tcase, an_error_in_inline_assembly_is_an_error);
  tcase_add_test(tcase, options_of_other_releases_are_taken_or_refused);
  tcase_add_test(tcase, constants_of_later_releases_are_refused);
  tcase = add_case(suite, "accepted");
  tcase_add_loop_test(tcase, what_keeps_its_references_is_accepted, 0, GROUPS);
  tcase = add_case(suite, "accepted-jit");
  tcase_add_loop_test(tcase, what_keeps_its_references_is_accepted_for_the_jit, 0, GROUPS);
  return suite_run(suite);
}
