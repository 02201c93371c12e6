#include <stdlib.h>
#include <string.h>

#include "frontend-demo/syntax/parser.h"
#include "tests/support/assertions.h"
#include "tests/support/check_main.h"
#include "tests/support/lox_parsing.h"

static void expect_errors(const char *source, const char *errors) {
  struct lox_parsing parsing = lox_parsing_of(source);
  ck_assert_msg(strcmp(parsing.errors, errors) == 0, "\"%s\" gives:\n%sinstead of:\n%s", source,
                parsing.errors, errors);
  lox_parsing_end(&parsing);
}

struct expectation {
  const char *source;
  const char *error;
};

static void expect_each(const struct expectation *expectations, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char line[256];
    snprintf(line, sizeof line, "%s\n", expectations[i].error);
    expect_errors(expectations[i].source, line);
  }
}

#define EXPECT_EACH(table) expect_each(table, sizeof table / sizeof table[0])

START_TEST(exceptions) {
  static const struct expectation table[] = {
      {"try {}", "[line 1] Error at end: Expect 'catch' or 'finally' after try block."},
      {"try {} print 1;",
       "[line 1] Error at 'print': Expect 'catch' or 'finally' after try block."},
      {"try {} catch", "[line 1] Error at end: Expect '(' after 'catch'."},
      {"try {} catch (", "[line 1] Error at end: Expect variable name."},
      {"try {} catch (a", "[line 1] Error at end: Expect ')' after variable name."},
      {"try {} catch (a)", "[line 1] Error at end: Expect '{' before catch block."},
      {"try {} catch (a) { var a; }",
       "[line 1] Error at 'a': Already a variable with this name in this scope."},
      {"try {} finally", "[line 1] Error at end: Expect '{' before finally block."},
      {"throw 1", "[line 1] Error at end: Expect ';' after thrown value."},
      {"throw;\nthrow 1 2;", "[line 2] Error at '2': Expect ';' after thrown value."},
  };
  EXPECT_EACH(table);
}
END_TEST

START_TEST(characters_and_strings) {
  static const struct expectation table[] = {
      {"@", "[line 1] Error: Unexpected character."},
      {"\n\nprint 1 | 2;", "[line 3] Error: Unexpected character."},
      {"print \"a\n\n", "[line 3] Error: Unterminated string."},
  };
  expect_errors("#$%", "[line 1] Error: Unexpected character.\n");
  EXPECT_EACH(table);
}
END_TEST

START_TEST(expressions) {
  static const struct expectation table[] = {
      {";", "[line 1] Error at ';': Expect expression."},
      {"1 +", "[line 1] Error at end: Expect expression."},
      {"(1;", "[line 1] Error at ';': Expect ')' after expression."},
      {"f(1;", "[line 1] Error at ';': Expect ')' after arguments."},
      {"a.1;", "[line 1] Error at '1': Expect property name after '.'."},
      {"[1, 2;", "[line 1] Error at ';': Expect ']' after list elements."},
      {"[1,];", "[line 1] Error at ']': Expect expression."},
      {"a[1;", "[line 1] Error at ';': Expect ']' after index."},
      {"a[];", "[line 1] Error at ']': Expect expression."},
      {"a b;", "[line 1] Error at 'b': Expect ';' after expression."},
      {"print 1", "[line 1] Error at end: Expect ';' after value."},
      {"1 = 2;", "[line 1] Error at '=': Invalid assignment target."},
      {"a + b = 2;", "[line 1] Error at '=': Invalid assignment target."},
      {"(a) = 2;", "[line 1] Error at '=': Invalid assignment target."},
      {"!a = 2;", "[line 1] Error at '=': Invalid assignment target."},
      {"f() = 2;", "[line 1] Error at '=': Invalid assignment target."},
      {"[a] = 2;", "[line 1] Error at '=': Invalid assignment target."},
      {"a + b.c = 2;", "[line 1] Error at '=': Invalid assignment target."},
      {"a + b[0] = 2;", "[line 1] Error at '=': Invalid assignment target."},
  };
  EXPECT_EACH(table);
}
END_TEST

START_TEST(statements) {
  static const struct expectation table[] = {
      {"{ 1;", "[line 1] Error at end: Expect '}' after block."},
      {"var 1;", "[line 1] Error at '1': Expect variable name."},
      {"var nil;", "[line 1] Error at 'nil': Expect variable name."},
      {"var a", "[line 1] Error at end: Expect ';' after variable declaration."},
      {"if a) b;", "[line 1] Error at 'a': Expect '(' after 'if'."},
      {"if (a b;", "[line 1] Error at 'b': Expect ')' after condition."},
      {"while a) b;", "[line 1] Error at 'a': Expect '(' after 'while'."},
      {"while (a b;", "[line 1] Error at 'b': Expect ')' after condition."},
      {"for a;", "[line 1] Error at 'a': Expect '(' after 'for'."},
      {"for (;a) b;", "[line 1] Error at ')': Expect ';' after loop condition."},
      {"for (;;a b;", "[line 1] Error at 'b': Expect ')' after for clauses."},
      {"for (var a = 1, 2;;) b;", "[line 1] Error at ',': Expect ';' after variable "
                                  "declaration.\n[line 1] Error at ')': Expect expression."},
      {"if (a) var b;", "[line 1] Error at 'var': Expect expression."},
      {"while (a) fun b() {}", "[line 1] Error at 'fun': Expect expression."},
      {"fun f() { return 1 }", "[line 1] Error at '}': Expect ';' after return value.\n[line 1] "
                               "Error at end: Expect '}' after block."},
      {"return 1;", "[line 1] Error at 'return': Can't return from top-level code."},
      {"{ return; }", "[line 1] Error at 'return': Can't return from top-level code."},
  };
  EXPECT_EACH(table);
}
END_TEST

START_TEST(functions_and_classes) {
  /* After an error, a declaration is read up to its body's brace, which the sample lacks. */
  static const struct expectation table[] = {
      {"fun 1", "[line 1] Error at '1': Expect function name.\n[line 1] Error at end: Expect '}' "
                "after block."},
      {"fun f {}", "[line 1] Error at '{': Expect '(' after function name."},
      {"fun f(1) {}", "[line 1] Error at '1': Expect parameter name.\n[line 1] Error at end: "
                      "Expect '}' after block."},
      {"fun f(a b) {}", "[line 1] Error at 'b': Expect ')' after parameters.\n[line 1] Error at "
                        "end: Expect '}' after block."},
      {"fun f() 1;", "[line 1] Error at '1': Expect '{' before function body.\n[line 1] Error at "
                     "end: Expect '}' after block."},
      {"class 1",
       "[line 1] Error at '1': Expect class name.\n[line 1] Error at end: Expect '}' after block."},
      {"class A < 1 {}", "[line 1] Error at '1': Expect superclass name.\n[line 1] Error at end: "
                         "Expect '}' after block."},
      {"class A 1", "[line 1] Error at '1': Expect '{' before class body.\n[line 1] Error at end: "
                    "Expect '}' after block."},
      {"class A {", "[line 1] Error at end: Expect '}' after class body."},
      {"class A < A {}", "[line 1] Error at 'A': A class can't inherit from itself."},
      {"{ class A < A {} }", "[line 1] Error at 'A': A class can't inherit from itself.\n[line 1] "
                             "Error at end: Expect '}' after block."},
      {"class A { init() { return 1; } }",
       "[line 1] Error at 'return': Can't return a value from an initializer."},
      {"this;", "[line 1] Error at 'this': Can't use 'this' outside of a class."},
      {"fun f() { this; }", "[line 1] Error at 'this': Can't use 'this' outside of a class."},
      {"super.a;", "[line 1] Error at 'super': Can't use 'super' outside of a class."},
      {"class A { m() { super.m(); } }",
       "[line 1] Error at 'super': Can't use 'super' in a class with no superclass."},
      {"class A {} class B < A { m() { super; } }",
       "[line 1] Error at ';': Expect '.' after 'super'."},
      {"class A {} class B < A { m() { super.1; } }",
       "[line 1] Error at '1': Expect superclass method name."},
  };
  EXPECT_EACH(table);
  expect_errors("class A { 1 }", "[line 1] Error at '1': Expect method name.\n"
                                 "[line 1] Error at end: Expect '}' after block.\n");
}
END_TEST

START_TEST(scopes) {
  static const struct expectation table[] = {
      {"{ var a; var a; }",
       "[line 1] Error at 'a': Already a variable with this name in this scope."},
      {"fun f(a, a) {}", "[line 1] Error at 'a': Already a variable with this name in this scope."},
      {"fun f(a) { var a; }",
       "[line 1] Error at 'a': Already a variable with this name in this scope."},
      {"{ var a; fun a() {} }",
       "[line 1] Error at 'a': Already a variable with this name in this scope.\n[line 1] "
       "Error at end: Expect '}' after block."},
      {"{ var a; class a {} }",
       "[line 1] Error at 'a': Already a variable with this name in this scope.\n[line 1] "
       "Error at end: Expect '}' after block."},
      {"{ var a = a; }",
       "[line 1] Error at 'a': Can't read local variable in its own initializer."},
      {"var a; { var a = 1 + a; }",
       "[line 1] Error at 'a': Can't read local variable in its own initializer."},
      {"fun f() { var a = [a]; }",
       "[line 1] Error at 'a': Can't read local variable in its own initializer."},
  };
  EXPECT_EACH(table);
  struct lox_parsing fine = lox_parsing_of_correct(
      "var a; var a; var a = a; { var b; { var b; } } fun f(a) { { var a; } }");
  lox_parsing_end(&fine);
}
END_TEST

static char *repeated(const char *before, const char *item, int count, const char *after) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  ck_assert_ptr_nonnull(out);
  fputs(before, out);
  for (int i = 0; i < count; i++)
    fprintf(out, "%s%s%d", i == 0 ? "" : ", ", item, i);
  fputs(after, out);
  fclose(out);
  return text;
}

START_TEST(no_more_than_255_parameters_and_arguments) {
  char *source = repeated("fun f(", "p", 256, ") {}");
  expect_errors(source, "[line 1] Error at 'p255': Can't have more than 255 parameters.\n");
  free(source);
  source = repeated("f(", "a", 256, ");");
  expect_errors(source, "[line 1] Error at 'a255': Can't have more than 255 arguments.\n");
  free(source);
  source = repeated("fun f(", "p", 255, ") {}");
  expect_errors(source, "");
  free(source);
  source = repeated("f(", "a", 255, ");");
  expect_errors(source, "");
  free(source);
  source = repeated("[", "a", 2000, "];");
  expect_errors(source, "");
  free(source);
}
END_TEST

START_TEST(there_is_no_limit_on_constants_locals_and_captures) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  fputs("fun f() {", out);
  for (int i = 0; i < 1000; i++)
    fprintf(out, "var v%d = %d.5;\n", i, i);
  fputs("fun g() {", out);
  for (int i = 0; i < 1000; i++)
    fprintf(out, "v%d;\n", i);
  fputs("while (true) {", out);
  for (int i = 0; i < 50000; i++)
    fputs("v1;", out);
  fputs("}}}", out);
  fclose(out);
  expect_errors(text, "");
  free(text);
}
END_TEST

START_TEST(several_errors_come_in_source_order) {
  expect_errors("var 1;\n"
                "print 2 3;\n"
                "{ var a; var a; }\n"
                "return 3;\n"
                "this.x;\n"
                "fun f() { var b = b; super.c(); }\n",
                "[line 1] Error at '1': Expect variable name.\n"
                "[line 2] Error at '3': Expect ';' after value.\n"
                "[line 3] Error at 'a': Already a variable with this name in this scope.\n"
                "[line 4] Error at 'return': Can't return from top-level code.\n"
                "[line 5] Error at 'this': Can't use 'this' outside of a class.\n"
                "[line 6] Error at 'b': Can't read local variable in its own initializer.\n"
                "[line 6] Error at 'super': Can't use 'super' outside of a class.\n");
}
END_TEST

START_TEST(one_error_per_statement_but_for_skipped_characters) {
  expect_errors(
      "1 + ; 2 + ;",
      "[line 1] Error at ';': Expect expression.\n[line 1] Error at ';': Expect expression.\n");
  expect_errors("f(1 2 3, @ 4 = 5);", "[line 1] Error at '2': Expect ')' after arguments.\n"
                                      "[line 1] Error: Unexpected character.\n");
  expect_errors("a = = 1 = 2; print 3;", "[line 1] Error at '=': Expect expression.\n");
}
END_TEST

START_TEST(reading_resumes_at_the_next_statement) {
  expect_errors("fun f( { }\nvar ;\nclass {}\nprint ;",
                "[line 1] Error at '{': Expect parameter name.\n"
                "[line 2] Error at ';': Expect variable name.\n"
                "[line 3] Error at '{': Expect class name.\n"
                "[line 4] Error at ';': Expect expression.\n");
}
END_TEST

static char *times(const char *before, int count, const char *after) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  ck_assert_ptr_nonnull(out);
  for (int i = 0; i < count; i++)
    fputs(before, out);
  fputs(after, out);
  fclose(out);
  return text;
}

START_TEST(hostile_nesting_is_an_error) {
  static const char *const repeats[] = {"(",
                                        "[",
                                        "-",
                                        "!",
                                        "{",
                                        "if (a) ",
                                        "a = ",
                                        "fun f() {",
                                        "class A{m(){",
                                        "f(",
                                        "a or ",
                                        "a + (",
                                        "a[",
                                        "if (a) b; else ",
                                        "a + ",
                                        "a.",
                                        "a.b + ",
                                        "a[1] = "};
  for (size_t i = 0; i < sizeof repeats / sizeof repeats[0]; i++) {
    char *source = times(repeats[i], 300000, "");
    struct lox_parsing parsing = lox_parsing_of(source);
    ck_assert_msg(strstr(parsing.errors, ": Too much nesting.\n") != NULL ||
                      strcmp(repeats[i], "a.") == 0,
                  "300000 times %s: %s", repeats[i], parsing.errors);
    ck_assert_uint_lt(strlen(parsing.errors), 300);
    lox_parsing_end(&parsing);
    free(source);
  }
  char *calls = times("()", 300000, ";");
  calls[0] = 'f';
  calls[1] = ' ';
  expect_errors(calls, "[line 1] Error at '(': Too much nesting.\n");
  free(calls);
}
END_TEST

START_TEST(loops_inside_each_other_have_a_limit) {
  static const char *const repeats[] = {"while (a) ", "for (;;) ", "for (;;) if (a) while (a) {"};
  for (size_t i = 0; i < sizeof repeats / sizeof repeats[0]; i++) {
    char *source = times(repeats[i], 300000, "");
    struct lox_parsing parsing = lox_parsing_of(source);
    ck_assert_ptr_nonnull(strstr(parsing.errors, ": Too many loops inside each other.\n"));
    ck_assert_uint_lt(strlen(parsing.errors), 300);
    lox_parsing_end(&parsing);
    free(source);
  }
  char *loops = times("while (a) ", LOX_MAX_LOOPS, "b;");
  expect_errors(loops, "");
  free(loops);
}
END_TEST

START_TEST(reasonable_nesting_is_accepted) {
  char *sum = times("1 + ", LOX_MAX_NESTING - 10, "1;");
  expect_errors(sum, "");
  free(sum);
  char *branches = times("if (a) b; else ", LOX_MAX_NESTING - 10, "c;");
  expect_errors(branches, "");
  free(branches);
}
END_TEST

CHECK_MAIN("lox-syntax-errors", characters_and_strings, exceptions, expressions, statements,
           functions_and_classes, scopes, no_more_than_255_parameters_and_arguments,
           there_is_no_limit_on_constants_locals_and_captures, several_errors_come_in_source_order,
           one_error_per_statement_but_for_skipped_characters,
           reading_resumes_at_the_next_statement, hostile_nesting_is_an_error,
           loops_inside_each_other_have_a_limit, reasonable_nesting_is_accepted)
