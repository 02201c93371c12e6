/* The place that an error names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/compile.h"
#include "tests/support/suite.h"

/* In line 7, column 3 of `file`. */
static char *returns_interior(const char *file) {
  char *text;
  ck_assert_int_ne(
      asprintf(
          &text,
          "define ptr addrspace(1) @inner(ptr addrspace(1) %%o) gc \"statepoint-example\" !dbg !5 "
          "{\nentry:\n  %%at = getelementptr i8, ptr addrspace(1) %%o, i64 8, !dbg !6\n"
          "  ret ptr addrspace(1) %%at, !dbg !7\n}\n"
          "!llvm.module.flags = !{!0}\n!llvm.dbg.cu = !{!1}\n"
          "!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
          "!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2, emissionKind: FullDebug)\n"
          "!2 = !DIFile(filename: \"%s\", directory: \"/source\")\n"
          "!3 = !DISubroutineType(types: !4)\n!4 = !{}\n"
          "!5 = distinct !DISubprogram(name: \"inner\", file: !2, line: 5, type: !3, unit: !1)\n"
          "!6 = !DILocation(line: 6, column: 9, scope: !5)\n"
          "!7 = !DILocation(line: 7, column: 3, scope: !5)\n",
          file),
      -1);
  return text;
}

static struct spgc_error rejected(const char *text) {
  struct spgc_lower_options options;
  struct spgc_error error;
  memset(&error, 0xA5, sizeof error); /* the caller need not initialise it */
  spgc_lower_options_default(&options);
  ck_assert_int_eq(compile_result(text, &options, &error), SPGC_ERROR_REJECTED);
  return error;
}

START_TEST(debug_information_gives_file_line_and_column) {
  char *text = returns_interior("src/tree.c");
  struct spgc_error error = rejected(text);
  ck_assert_str_eq(error.file, "src/tree.c");
  ck_assert_uint_eq(error.line, 7);
  ck_assert_uint_eq(error.column, 3);
  ck_assert_str_eq(error.function, "inner");
  ck_assert_str_eq(error.block, "entry");
  ck_assert_uint_eq(error.place_length, strlen("src/tree.c:7:3: "));
  ck_assert_int_eq(strncmp(error.message, "src/tree.c:7:3: function 'inner': `ret ", 39), 0);
  free(text);
}
END_TEST

START_TEST(a_long_path_is_known_by_its_end) {
  char path[400], *text;
  memset(path, 'd', sizeof path);
  snprintf(path + sizeof path - 8, 8, "/tree.c");
  text = returns_interior(path);
  struct spgc_error error = rejected(text);
  ck_assert_uint_eq(strlen(error.file), sizeof error.file - 1);
  ck_assert_int_eq(strncmp(error.file, "...ddd", 6), 0);
  ck_assert_str_eq(error.file + strlen(error.file) - 7, "/tree.c");
  ck_assert_ptr_nonnull(strstr(error.message, "/tree.c:7:3: function"));
  ck_assert_ptr_nonnull(strstr(error.message, "interior pointer is returned"));
  ck_assert_int_eq(strncmp(error.message + error.place_length, "function", 8), 0);
  free(text);
}
END_TEST

START_TEST(without_debug_information_function_and_block_are_known) {
  struct spgc_error error =
      rejected("define ptr addrspace(1) @f(ptr addrspace(1) %o, i1 %c) gc \"statepoint-example\" "
               "{\n  br i1 %c, label %named, label %1\n1:\n  ret ptr addrspace(1) %o\nnamed:\n"
               "  %at = getelementptr i8, ptr addrspace(1) %o, i64 8\n"
               "  ret ptr addrspace(1) %at\n}\n");
  ck_assert_uint_eq(error.line, 0);
  ck_assert_uint_eq(error.column, 0);
  ck_assert_uint_eq(error.place_length, 0);
  ck_assert_str_eq(error.file, "");
  ck_assert_str_eq(error.function, "f");
  ck_assert_str_eq(error.block, "named");
  ck_assert_int_eq(strncmp(error.message, "function 'f', block 'named': `ret ", 34), 0);
}
END_TEST

START_TEST(a_block_without_a_name_has_a_number) {
  struct spgc_error error =
      rejected("define ptr addrspace(1) @f(ptr addrspace(1) %o, i64) gc \"statepoint-example\" {\n"
               "  %2 = add i64 %0, 1\n  br label %3\n3:\n"
               "  %at = getelementptr i8, ptr addrspace(1) %o, i64 %2\n"
               "  ret ptr addrspace(1) %at\n}\n");
  ck_assert_str_eq(error.block, "%3");
  ck_assert_ptr_nonnull(strstr(error.message, "function 'f', block '%3': `ret "));
}
END_TEST

START_TEST(a_global_variable_has_no_function) {
  struct spgc_error error = rejected("@g = thread_local global ptr addrspace(1) null\n");
  ck_assert_str_eq(error.function, "");
  ck_assert_str_eq(error.block, "");
  ck_assert_int_eq(strncmp(error.message, "global variable 'g': ", 21), 0);
}
END_TEST

static enum spgc_result parse(const char *bytes, size_t size, struct spgc_error *error) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module;
  memset(error, 0xA5, sizeof *error);
  enum spgc_result result = spgc_parse_module(
      context, LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, "list: 1:2.ll"), &module,
      error);
  if (result == SPGC_OK)
    LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return result;
}

START_TEST(text_that_cannot_be_parsed_is_named_by_line_and_column) {
  static const char text[] = "define i64 @f(i64 %x) {\n  %y = add i63 %x, 1\n}\n";
  struct spgc_error error;
  ck_assert_int_eq(parse(text, sizeof text - 1, &error), SPGC_ERROR_MALFORMED);
  ck_assert_str_eq(error.file, "list: 1:2.ll");
  ck_assert_uint_eq(error.line, 2);
  ck_assert_uint_eq(error.column, 16);
  ck_assert_str_eq(error.message,
                   "list: 1:2.ll:2:16: '%x' defined with type 'i64' but expected 'i63', "
                   "in `%y = add i63 %x, 1`");
  ck_assert_uint_eq(error.place_length, strlen("list: 1:2.ll:2:16: "));
}
END_TEST

START_TEST(broken_bitcode_has_a_message_without_a_place) {
  static const char bytes[] = "BC\xC0\xDE\x12\x34\x45";
  struct spgc_error error;
  ck_assert_int_eq(parse(bytes, sizeof bytes - 1, &error), SPGC_ERROR_MALFORMED);
  ck_assert_uint_eq(error.line, 0);
  ck_assert_uint_eq(error.place_length, 0);
  ck_assert_uint_gt(strlen(error.message), 0);
  ck_assert_ptr_null(strchr(error.message, '\n'));
}
END_TEST

START_TEST(what_can_be_parsed_is_a_module) {
  static const char text[] = "define void @f() {\n  ret void\n}\n";
  struct spgc_error error;
  ck_assert_int_eq(parse(text, sizeof text - 1, &error), SPGC_OK);
}
END_TEST

int main(void) {
  struct spgc_error error;
  if (spgc_llvm_initialise(&error) != SPGC_OK)
    return EXIT_FAILURE;
  Suite *suite = suite_create("codegen-place");
  TCase *tcase = tcase_create("place");
  tcase_add_test(tcase, debug_information_gives_file_line_and_column);
  tcase_add_test(tcase, a_long_path_is_known_by_its_end);
  tcase_add_test(tcase, without_debug_information_function_and_block_are_known);
  tcase_add_test(tcase, a_block_without_a_name_has_a_number);
  tcase_add_test(tcase, a_global_variable_has_no_function);
  tcase_add_test(tcase, text_that_cannot_be_parsed_is_named_by_line_and_column);
  tcase_add_test(tcase, broken_bitcode_has_a_message_without_a_place);
  tcase_add_test(tcase, what_can_be_parsed_is_a_module);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
