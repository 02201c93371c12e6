#include <stdio.h>
#include <string.h>

#include "frontend-demo/syntax/scanner.h"
#include "tests/support/assertions.h"
#include "tests/support/check_main.h"

static struct lox_scanner scan(const char *source) {
  struct lox_scanner scanner;
  lox_scanner_init(&scanner, (struct lox_string){source, strlen(source)});
  return scanner;
}

static void expect(struct lox_scanner *scanner, enum lox_token_type type, const char *lexeme,
                   int line) {
  struct lox_token token = lox_scanner_next(scanner);
  ck_assert_int_eq(token.type, type);
  ck_assert_uint_eq(token.length, strlen(lexeme));
  ck_assert_mem_eq(token.start, lexeme, token.length);
  ck_assert_int_eq(token.line, line);
}

START_TEST(punctuation_takes_the_longest_match) {
  static const struct {
    const char *lexeme;
    enum lox_token_type type;
  } all[] = {
      {"(", LOX_TOKEN_LEFT_PAREN},     {")", LOX_TOKEN_RIGHT_PAREN},
      {"{", LOX_TOKEN_LEFT_BRACE},     {"}", LOX_TOKEN_RIGHT_BRACE},
      {"[", LOX_TOKEN_LEFT_BRACKET},   {"]", LOX_TOKEN_RIGHT_BRACKET},
      {",", LOX_TOKEN_COMMA},          {".", LOX_TOKEN_DOT},
      {"-", LOX_TOKEN_MINUS},          {"+", LOX_TOKEN_PLUS},
      {";", LOX_TOKEN_SEMICOLON},      {"/", LOX_TOKEN_SLASH},
      {"*", LOX_TOKEN_STAR},           {"!", LOX_TOKEN_BANG},
      {"!=", LOX_TOKEN_BANG_EQUAL},    {"=", LOX_TOKEN_EQUAL},
      {"==", LOX_TOKEN_EQUAL_EQUAL},   {">", LOX_TOKEN_GREATER},
      {">=", LOX_TOKEN_GREATER_EQUAL}, {"<", LOX_TOKEN_LESS},
      {"<=", LOX_TOKEN_LESS_EQUAL},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    struct lox_scanner scanner = scan(all[i].lexeme);
    expect(&scanner, all[i].type, all[i].lexeme, 1);
    expect(&scanner, LOX_TOKEN_END, "", 1);
  }
  struct lox_scanner run = scan("!===<=>=");
  expect(&run, LOX_TOKEN_BANG_EQUAL, "!=", 1);
  expect(&run, LOX_TOKEN_EQUAL_EQUAL, "==", 1);
  expect(&run, LOX_TOKEN_LESS_EQUAL, "<=", 1);
  expect(&run, LOX_TOKEN_GREATER_EQUAL, ">=", 1);
}
END_TEST

START_TEST(keywords_are_whole_words) {
  static const char *const keywords[] = {"and",  "class", "else", "false", "for",    "fun",
                                         "if",   "nil",   "or",   "print", "return", "super",
                                         "this", "true",  "var",  "while"};
  for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
    char longer[16];
    struct lox_scanner scanner = scan(keywords[i]);
    expect(&scanner, (enum lox_token_type)(LOX_TOKEN_AND + i), keywords[i], 1);
    snprintf(longer, sizeof longer, "%s_", keywords[i]);
    scanner = scan(longer);
    expect(&scanner, LOX_TOKEN_IDENTIFIER, longer, 1);
    snprintf(longer, sizeof longer, "%.*s", (int)strlen(keywords[i]) - 1, keywords[i]);
    scanner = scan(longer);
    expect(&scanner, LOX_TOKEN_IDENTIFIER, longer, 1);
  }
}
END_TEST

START_TEST(names_hold_letters_digits_and_underscores) {
  struct lox_scanner scanner = scan("_a1 Z9_ é");
  expect(&scanner, LOX_TOKEN_IDENTIFIER, "_a1", 1);
  expect(&scanner, LOX_TOKEN_IDENTIFIER, "Z9_", 1);
  expect(&scanner, LOX_TOKEN_UNEXPECTED_CHARACTER, "\xc3", 1);
  expect(&scanner, LOX_TOKEN_UNEXPECTED_CHARACTER, "\xa9", 1);
}
END_TEST

START_TEST(numbers_need_digits_on_both_sides_of_the_point) {
  struct lox_scanner scanner = scan("12 3.25 .5 7. 1.2.3 0x1 1e5");
  expect(&scanner, LOX_TOKEN_NUMBER, "12", 1);
  expect(&scanner, LOX_TOKEN_NUMBER, "3.25", 1);
  expect(&scanner, LOX_TOKEN_DOT, ".", 1);
  expect(&scanner, LOX_TOKEN_NUMBER, "5", 1);
  expect(&scanner, LOX_TOKEN_NUMBER, "7", 1);
  expect(&scanner, LOX_TOKEN_DOT, ".", 1);
  expect(&scanner, LOX_TOKEN_NUMBER, "1.2", 1);
  expect(&scanner, LOX_TOKEN_DOT, ".", 1);
  expect(&scanner, LOX_TOKEN_NUMBER, "3", 1);
  expect(&scanner, LOX_TOKEN_NUMBER, "0", 1);
  expect(&scanner, LOX_TOKEN_IDENTIFIER, "x1", 1);
  expect(&scanner, LOX_TOKEN_NUMBER, "1", 1);
  expect(&scanner, LOX_TOKEN_IDENTIFIER, "e5", 1);
  expect(&scanner, LOX_TOKEN_END, "", 1);
}
END_TEST

START_TEST(a_string_has_the_line_it_ends_on) {
  struct lox_scanner scanner = scan("\"a\nb\" c \"\"");
  expect(&scanner, LOX_TOKEN_STRING, "\"a\nb\"", 2);
  expect(&scanner, LOX_TOKEN_IDENTIFIER, "c", 2);
  expect(&scanner, LOX_TOKEN_STRING, "\"\"", 2);
}
END_TEST

START_TEST(a_string_without_end_is_an_error_at_the_end) {
  struct lox_scanner scanner = scan("a\n\"b\nc");
  expect(&scanner, LOX_TOKEN_IDENTIFIER, "a", 1);
  expect(&scanner, LOX_TOKEN_UNTERMINATED_STRING, "\"b\nc", 3);
  expect(&scanner, LOX_TOKEN_END, "", 3);
}
END_TEST

START_TEST(comments_and_blanks_separate_tokens) {
  struct lox_scanner scanner = scan("a// b \"c\n\t\r d //");
  expect(&scanner, LOX_TOKEN_IDENTIFIER, "a", 1);
  expect(&scanner, LOX_TOKEN_IDENTIFIER, "d", 2);
  expect(&scanner, LOX_TOKEN_END, "", 2);
  expect(&scanner, LOX_TOKEN_END, "", 2);
}
END_TEST

START_TEST(a_nul_byte_does_not_end_the_source) {
  static const char source[] = "a\0b";
  struct lox_scanner scanner;
  lox_scanner_init(&scanner, (struct lox_string){source, 3});
  expect(&scanner, LOX_TOKEN_IDENTIFIER, "a", 1);
  ck_assert_int_eq(lox_scanner_next(&scanner).type, LOX_TOKEN_UNEXPECTED_CHARACTER);
  expect(&scanner, LOX_TOKEN_IDENTIFIER, "b", 1);
}
END_TEST

static bool is_complete(const char *source) {
  struct lox_lines lines = {0};
  return lox_lines_are_complete(&lines, (struct lox_string){source, strlen(source)});
}

START_TEST(a_source_is_complete_when_everything_open_is_closed) {
  ck_assert(is_complete(""));
  ck_assert(is_complete("print 1;"));
  ck_assert(is_complete("fun f(a) { return [a]; }"));
  ck_assert(is_complete("}")); /* more input could not repair it */
  ck_assert(is_complete("// {"));
  ck_assert(is_complete("print \"{\";"));
  ck_assert(!is_complete("fun f() {"));
  ck_assert(!is_complete("print (1 +"));
  ck_assert(!is_complete("var a = [1,"));
  ck_assert(!is_complete("print \"abc"));
}
END_TEST

START_TEST(lines_are_complete_when_their_source_is) {
  static const struct {
    const char *line;
    bool is_complete;
  } entry[] = {
      {"fun f(\n", false}, {") { // { (\n", false}, {"print \"a } \n", false},
      {" ( // \n", false}, {"\n", false},           {"} \" + \"b\" + \"\n", false},
      {"\"; }\n", true},   {"} }\n", true},         {"{ { {\n", false},
      {"}\n", true},       {"\"\"\n", true},        {"\"", false},
  };
  char source[256] = "";
  struct lox_lines lines = {0};
  for (size_t i = 0; i < sizeof entry / sizeof entry[0]; i++) {
    strcat(source, entry[i].line);
    bool complete = lox_lines_are_complete(&lines, (struct lox_string){source, strlen(source)});
    ck_assert_msg(complete == entry[i].is_complete, "%s", source);
    ck_assert_msg(is_complete(source) == entry[i].is_complete, "%s", source);
  }
}
END_TEST

/* Overwrites scanned text with text that would change the answer. */
START_TEST(a_line_is_scanned_once) {
  static const char *const first[] = {"{ print 1;\n", "print \"abc\n"};
  static const char *const last[] = {"}\n", "\";\n"};
  for (int i = 0; i < 2; i++) {
    char source[64];
    struct lox_lines lines = {0};
    strcpy(source, first[i]);
    ck_assert(!lox_lines_are_complete(&lines, (struct lox_string){source, strlen(source)}));
    memset(source, '(', strlen(source));
    strcat(source, last[i]);
    ck_assert(lox_lines_are_complete(&lines, (struct lox_string){source, strlen(source)}));
    ck_assert_uint_eq(lines.scanned, strlen(source));
  }
}
END_TEST

CHECK_MAIN("lox-syntax-scanner", punctuation_takes_the_longest_match, keywords_are_whole_words,
           names_hold_letters_digits_and_underscores,
           numbers_need_digits_on_both_sides_of_the_point, a_string_has_the_line_it_ends_on,
           a_string_without_end_is_an_error_at_the_end, comments_and_blanks_separate_tokens,
           a_nul_byte_does_not_end_the_source, a_source_is_complete_when_everything_open_is_closed,
           lines_are_complete_when_their_source_is, a_line_is_scanned_once)
