/* Parsing any bytes ends with a program or errors. A failure prints the seed. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/assertions.h"
#include "tests/support/check_main.h"
#include "tests/support/lox_parsing.h"
#include "tests/support/lox_tree.h"

enum { PROGRAMS = 50000, LARGEST = 160 };

/* xorshift64*, https://doi.org/10.1145/2845077 */
static uint64_t random_state;

static uint32_t random_below(uint32_t bound) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return (uint32_t)((random_state * UINT64_C(2685821657736338717)) >> 33) % bound;
}

static void seed(uint64_t value) {
  const char *given = getenv("LOX_HOSTILE_SEED");
  random_state = given ? strtoull(given, NULL, 0) : value;
  printf("seed %llu (LOX_HOSTILE_SEED)\n", (unsigned long long)random_state);
}

static bool survives(const char *bytes, size_t length) {
  struct lox_parsing parsing = lox_parsing_of_bytes(bytes, length);
  bool is_correct = parsing.program != NULL;
  if (is_correct)
    free(lox_tree_text(parsing.program));
  lox_parsing_end(&parsing);
  return is_correct;
}

START_TEST(random_bytes_never_crash) {
  seed(20240601);
  char bytes[LARGEST];
  for (int i = 0; i < PROGRAMS; i++) {
    size_t length = random_below(LARGEST);
    for (size_t j = 0; j < length; j++)
      bytes[j] = (char)random_below(256);
    survives(bytes, length);
  }
}
END_TEST

static const char *const tokens[] = {
    "(",       ")",      "{",    "}",         "[",    "]",       ",",    ".",     "-",  "+",
    ";",       ";",      ";",    "/",         "*",    "!",       "!=",   "=",     "==", ">",
    ">=",      "<",      "<=",   "a",         "b",    "c",       "init", "\"s\"", "1",  "2.5",
    "and",     "class",  "else", "false",     "for",  "fun",     "if",   "nil",   "or", "print",
    "return",  "super",  "this", "true",      "var",  "while",   "\n",   "//x\n", "\"", "@",
    "var a =", "fun f(", ") {",  "class A {", "a = ", "this.a ="};

START_TEST(random_tokens_never_crash) {
  seed(20240602);
  char text[16 * LARGEST];
  int correct = 0;
  for (int i = 0; i < PROGRAMS; i++) {
    size_t length = 0;
    for (uint32_t left = random_below(60); left > 0; left--) {
      const char *token = tokens[random_below(sizeof tokens / sizeof tokens[0])];
      length += (size_t)snprintf(text + length, sizeof text - length, "%s ", token);
    }
    correct += survives(text, length);
  }
  ck_assert_int_gt(correct, 100);
}
END_TEST

/* Of the grammar, with one in a few tokens wrong. */
static void sentence(FILE *out, int depth);

static void expression(FILE *out, int depth) {
  if (random_below(60) == 0) {
    fputs(tokens[random_below(sizeof tokens / sizeof tokens[0])], out);
    return;
  }
  switch (depth <= 0 ? random_below(6) : random_below(16)) {
  case 0: fputs(" a", out); return;
  case 1: fputs(" b", out); return;
  case 2: fputs(" 1", out); return;
  case 3: fputs(" \"s\"", out); return;
  case 4: fputs(" nil", out); return;
  case 5: fputs(" this", out); return;
  case 6: fputs(" (", out), expression(out, depth - 1), fputs(")", out); return;
  case 7: fputs(" !", out), expression(out, depth - 1); return;
  case 8: fputs(" -", out), expression(out, depth - 1); return;
  case 9: expression(out, depth - 1), fputs(" +", out), expression(out, depth - 1); return;
  case 10: expression(out, depth - 1), fputs(" or", out), expression(out, depth - 1); return;
  case 11:
    expression(out, depth - 1), fputs("(", out), expression(out, depth - 1), fputs(")", out);
    return;
  case 12: expression(out, depth - 1), fputs(".a", out); return;
  case 13: fputs(" a =", out), expression(out, depth - 1); return;
  case 14: fputs(" [", out), expression(out, depth - 1), fputs("]", out); return;
  default: fputs(" super.a", out); return;
  }
}

static void sentences(FILE *out, int depth) {
  for (uint32_t left = random_below(4); left > 0; left--)
    sentence(out, depth);
}

static void sentence(FILE *out, int depth) {
  switch (depth <= 0 ? random_below(4) : random_below(10)) {
  case 0: expression(out, depth), fputs(";", out); return;
  case 1: fputs(" var a =", out), expression(out, depth), fputs(";", out); return;
  case 2: fputs(" print", out), expression(out, depth), fputs(";", out); return;
  case 3: fputs(" return", out), expression(out, depth), fputs(";", out); return;
  case 4: fputs(" {", out), sentences(out, depth - 1), fputs("}", out); return;
  case 5:
    fputs(" if (a)", out), sentence(out, depth - 1), fputs(" else", out), sentence(out, depth - 1);
    return;
  case 6: fputs(" for (var b = 1; b; b = 2)", out), sentence(out, depth - 1); return;
  case 7: fputs(" fun f(a, b) {", out), sentences(out, depth - 1), fputs("}", out); return;
  case 8: fputs(" class A < B { m(a) {", out), sentences(out, depth - 1), fputs("} }", out); return;
  default: fputs(" while (a)", out), sentence(out, depth - 1); return;
  }
}

START_TEST(random_sentences_never_crash) {
  seed(20240603);
  int correct = 0;
  for (int i = 0; i < PROGRAMS; i++) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    sentences(out, 4);
    fclose(out);
    correct += survives(text, size);
    free(text);
  }
  ck_assert_int_gt(correct, PROGRAMS / 10);
  ck_assert_int_lt(correct, PROGRAMS);
}
END_TEST

START_TEST(a_source_of_megabytes_is_read) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  for (int i = 0; i < 100000; i++)
    fprintf(out, "var v%d = %d; fun f%d(a) { var b = a + v%d; return b; }\n", i, i, i, i);
  fclose(out);
  ck_assert(survives(text, size));
  free(text);
}
END_TEST

CHECK_MAIN_WITHIN(240, "lox-syntax-hostile", random_bytes_never_crash, random_tokens_never_crash,
                  random_sentences_never_crash, a_source_of_megabytes_is_read)
