#include <stdlib.h>
#include <string.h>

#include "frontend-demo/fast/infer.h"
#include "tests/support/assertions.h"
#include "tests/support/check_main.h"
#include "tests/support/lox_parsing.h"

/* Of the last x, in a function with a parameter p and a known number n. */
static enum lox_kind kind_of_x(const char *body) {
  char source[1024];
  snprintf(source, sizeof source, "fun f(p) { var n = 1; %s }", body);
  struct lox_parsing parsing = lox_parsing_of_correct(source);
  lox_infer(parsing.program);
  const struct lox_variable *x = NULL;
  for (uint32_t i = 0; i < parsing.program->function_count; i++) {
    const struct lox_function *function = parsing.program->functions[i];
    for (uint32_t j = 0; j < function->variable_count; j++) {
      if (strcmp(function->variables[j]->name->text.bytes, "x") == 0)
        x = function->variables[j];
    }
  }
  ck_assert_ptr_nonnull(x);
  enum lox_kind kind = x->kind;
  lox_parsing_end(&parsing);
  return kind;
}

START_TEST(literals_tell_their_kind) {
  ck_assert_int_eq(kind_of_x("var x = 1;"), LOX_KIND_NUMBER);
  ck_assert_int_eq(kind_of_x("var x = true;"), LOX_KIND_BOOLEAN);
  ck_assert_int_eq(kind_of_x("var x = \"\";"), LOX_KIND_STRING);
  ck_assert_int_eq(kind_of_x("var x = nil;"), LOX_KIND_NIL);
  ck_assert_int_eq(kind_of_x("var x;"), LOX_KIND_NIL);
  ck_assert_int_eq(kind_of_x("var x = [];"), LOX_KIND_LIST);
}
END_TEST

START_TEST(arithmetic_yields_a_number_or_fails) {
  ck_assert_int_eq(kind_of_x("var x = p - p;"), LOX_KIND_NUMBER);
  ck_assert_int_eq(kind_of_x("var x = p * p;"), LOX_KIND_NUMBER);
  ck_assert_int_eq(kind_of_x("var x = p / p;"), LOX_KIND_NUMBER);
  ck_assert_int_eq(kind_of_x("var x = -p;"), LOX_KIND_NUMBER);
}
END_TEST

START_TEST(a_sum_with_one_known_side_is_of_that_kind) {
  ck_assert_int_eq(kind_of_x("var x = p + p;"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("var x = p + 1;"), LOX_KIND_NUMBER);
  ck_assert_int_eq(kind_of_x("var x = \"\" + p;"), LOX_KIND_STRING);
  ck_assert_int_eq(kind_of_x("var x = n + n;"), LOX_KIND_NUMBER);
}
END_TEST

START_TEST(comparisons_and_not_yield_booleans) {
  ck_assert_int_eq(kind_of_x("var x = p < 1;"), LOX_KIND_BOOLEAN);
  ck_assert_int_eq(kind_of_x("var x = p == p;"), LOX_KIND_BOOLEAN);
  ck_assert_int_eq(kind_of_x("var x = !p;"), LOX_KIND_BOOLEAN);
}
END_TEST

START_TEST(logic_yields_one_of_its_operands) {
  ck_assert_int_eq(kind_of_x("var x = n and 2;"), LOX_KIND_NUMBER);
  ck_assert_int_eq(kind_of_x("var x = nil or 2;"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("var x = p or 2;"), LOX_KIND_ANY);
}
END_TEST

START_TEST(every_assignment_counts) {
  ck_assert_int_eq(kind_of_x("var x = 1; x = 2; x = x * 2;"), LOX_KIND_NUMBER);
  ck_assert_int_eq(kind_of_x("var x = 1; x = p;"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("var x; x = 1;"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("var x = 1; if (p) { print (x = \"s\"); }"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("var x = 1; while (p) p[0] = [x = nil];"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("var x = 1; p(p.q = x = nil);"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("var x = 1; return x = nil;"), LOX_KIND_ANY);
}
END_TEST

START_TEST(loops_reach_a_fixpoint) {
  ck_assert_int_eq(kind_of_x("for (var x = 0; x < 9; x = x + 1) {}"), LOX_KIND_NUMBER);
  ck_assert_int_eq(kind_of_x("var a = 0; var x = a; while (p) { a = x + 1; x = a; }"),
                   LOX_KIND_NUMBER);
  ck_assert_int_eq(kind_of_x("var a = 0; var b = a; var x = b; while (p) { b = a; x = b; a = p; }"),
                   LOX_KIND_ANY);
}
END_TEST

START_TEST(closures_that_assign_are_seen) {
  ck_assert_int_eq(kind_of_x("var x = 1; fun g() { x = x + 1; }"), LOX_KIND_NUMBER);
  ck_assert_int_eq(kind_of_x("var x = 1; fun g() { fun h() { x = nil; } }"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("var x = 1; class C { m() { x = this; } }"), LOX_KIND_ANY);
}
END_TEST

START_TEST(what_comes_from_elsewhere_is_unknown) {
  ck_assert_int_eq(kind_of_x("var x = p;"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("var x = global;"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("var x = p();"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("var x = p.q;"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("var x = p[0];"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("fun g(x) { x = 1; }"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("fun x() {} x = 1;"), LOX_KIND_ANY);
  ck_assert_int_eq(kind_of_x("class x {} x = 1;"), LOX_KIND_ANY);
}
END_TEST

static enum lox_kind result(const char *source) {
  struct lox_parsing parsing = lox_parsing_of_correct(source);
  lox_infer_complete(parsing.program);
  enum lox_kind kind = parsing.program->functions[1]->result;
  lox_parsing_end(&parsing);
  return kind;
}

START_TEST(results_of_functions_are_inferred) {
  ck_assert_int_eq(result("fun f(n) { if (n < 2) return 1; return f(n - 1) + f(n - 2); }"),
                   LOX_KIND_NUMBER);
  ck_assert_int_eq(result("fun f(n) { return n > 1; }"), LOX_KIND_BOOLEAN);
  ck_assert_int_eq(result("fun f(n) { if (n > 1) return 1; }"), LOX_KIND_ANY);
  ck_assert_int_eq(result("fun f(n) { n - 1; }"), LOX_KIND_NIL);
  ck_assert_int_eq(result("fun f(n) { n = n - 1; return n; }"), LOX_KIND_ANY);
  ck_assert_int_eq(result("fun f(n) { return g(n); } fun g(n) { return -n; }"), LOX_KIND_NUMBER);
  ck_assert_int_eq(result("fun f(n) { return g(n); } fun g(n) { return -n; } g = nil;"),
                   LOX_KIND_ANY);
  ck_assert_int_eq(result("fun f(n) { return len(n); } fun len(n) { return -n; }"), LOX_KIND_ANY);
}
END_TEST

START_TEST(parameters_of_functions_that_are_only_called_are_inferred) {
  ck_assert_int_eq(result("fun f(n) { return n; } f(1); f(2);"), LOX_KIND_NUMBER);
  ck_assert_int_eq(result("fun f(n) { if (n < 1) return n; return f(n - 1); } print f(1);"),
                   LOX_KIND_NUMBER);
  ck_assert_int_eq(result("fun f(n) { return n; } f(1); f(\"\");"), LOX_KIND_ANY);
  ck_assert_int_eq(result("fun f(n) { n = nil; return n; } f(1);"), LOX_KIND_ANY);
  ck_assert_int_eq(result("fun f(n) { return n; } f(1); var g = f;"), LOX_KIND_ANY);
  ck_assert_int_eq(result("fun f(n) { return n; } f(1); f();"), LOX_KIND_ANY);
  ck_assert_int_eq(result("fun f(n) { return n; }"), LOX_KIND_ANY);
}
END_TEST

START_TEST(an_unlucky_chain_of_locals_ends_unknown_or_right) {
  char *source = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&source, &size);
  fputs("fun f(p) {", out);
  for (int i = 0; i < 300; i++)
    fprintf(out, "var v%d = 0;", i);
  for (int i = 0; i < 299; i++)
    fprintf(out, "v%d = v%d;", i, i + 1);
  fputs("v299 = p; }", out);
  fclose(out);
  struct lox_parsing parsing = lox_parsing_of_correct(source);
  for (int i = 1; i <= 300; i++)
    ck_assert_int_eq(parsing.program->functions[1]->variables[i]->kind, LOX_KIND_ANY);
  lox_parsing_end(&parsing);
  free(source);
}
END_TEST

CHECK_MAIN("lox-syntax-infer", literals_tell_their_kind, arithmetic_yields_a_number_or_fails,
           a_sum_with_one_known_side_is_of_that_kind, comparisons_and_not_yield_booleans,
           logic_yields_one_of_its_operands, every_assignment_counts, loops_reach_a_fixpoint,
           closures_that_assign_are_seen, what_comes_from_elsewhere_is_unknown,
           results_of_functions_are_inferred,
           parameters_of_functions_that_are_only_called_are_inferred,
           an_unlucky_chain_of_locals_ends_unknown_or_right)
