#include <stdlib.h>

#include "tests/support/assertions.h"
#include "tests/support/check_main.h"
#include "tests/support/lox_parsing.h"
#include "tests/support/lox_tree.h"

static void expect_tree(const char *source, const char *tree) {
  struct lox_parsing parsing = lox_parsing_of_correct(source);
  char *text = lox_tree_text(parsing.program);
  ck_assert_str_eq(text, tree);
  free(text);
  lox_parsing_end(&parsing);
}

START_TEST(operators_bind_by_precedence_and_to_the_left) {
  expect_tree("1 + 2 * 3;", "(do (+ 1 (* 2 3)))");
  expect_tree("(1 + 2) * 3;", "(do (* (+ 1 2) 3))");
  expect_tree("1 - 2 - 3;", "(do (- (- 1 2) 3))");
  expect_tree("8 / 4 / 2;", "(do (/ (/ 8 4) 2))");
  expect_tree("1 < 2 == 3 >= 4;", "(do (== (< 1 2) (>= 3 4)))");
  expect_tree("1 == 2 != 3;", "(do (!= (== 1 2) 3))");
  expect_tree("!!true;", "(do (! (! true)))");
  expect_tree("-1 - -2;", "(do (- (- 1) (- 2)))");
  expect_tree("!a == b;", "(do (== (! $a) $b))");
  expect_tree("-a.b(1)[2];", "(do (- ([] (call (. $a b) 1) 2)))");
  expect_tree("a or b and c or d;", "(do (or $a (or (and $b $c) $d)))");
}
END_TEST

START_TEST(assignment_binds_to_the_right_and_weakest) {
  expect_tree("a = b = c or d;", "(do (= $a (= $b (or $c $d))))");
  expect_tree("a.b = c.d = 1;", "(do (.= $a b (.= $c d 1)))");
  expect_tree("a[0] = b[1] = 2;", "(do ([]= $a 0 ([]= $b 1 2)))");
  expect_tree("f(a = 1);", "(do (call $f (= $a 1)))");
}
END_TEST

START_TEST(calls_properties_and_indexing_chain) {
  expect_tree("a.b.c(1, 2)(3).d[4][5];",
              "(do ([] ([] (. (call (call (. (. $a b) c) 1 2) 3) d) 4) 5))");
  expect_tree("a[1].b = 2;", "(do (.= ([] $a 1) b 2))");
  expect_tree("a.b[1] = 2;", "(do ([]= (. $a b) 1 2))");
}
END_TEST

START_TEST(lists_are_primary_expressions) {
  expect_tree("[];", "(do (list))");
  expect_tree("[1, \"b\", [nil]];", "(do (list 1 \"b\" (list nil)))");
  expect_tree("[1, 2][0];", "(do ([] (list 1 2) 0))");
}
END_TEST

START_TEST(exceptions_have_statements) {
  expect_tree("throw a;", "(throw $a)");
  expect_tree("throw a + 1;", "(throw (+ $a 1))");
  expect_tree("throw !a;", "(throw (! $a))");
  expect_tree("throw \"a\";", "(throw \"a\")");
  expect_tree("throw (a);", "(throw $a)");
  expect_tree("throw [a];", "(throw (list $a))");
  expect_tree("throw -a;", "(throw (- $a))");
  expect_tree("try { a; } catch (e) { b; }", "(try (block (do $a)) (catch e (block (do $b))))");
  expect_tree("try {} finally {}", "(try (block) (finally (block)))");
  expect_tree("try {} catch (e) {} finally { a; }",
              "(try (block) (catch e (block)) (finally (block (do $a))))");
}
END_TEST

START_TEST(words_of_exceptions_are_names_elsewhere) {
  expect_tree("throw;", "(do $throw)");
  expect_tree("throw = 1;", "(do (= $throw 1))");
  expect_tree("throw + 1;", "(do (+ $throw 1))");
  expect_tree("throw.a();", "(do (call (. $throw a)))");
  expect_tree("print throw(1);", "(print (call $throw 1))");
  expect_tree("try; try(1); try = 2; try.a;",
              "(do $try) (do (call $try 1)) (do (= $try 2)) (do (. $try a))");
  expect_tree("catch(1); catch = 1;", "(do (call $catch 1)) (do (= $catch 1))");
  expect_tree("finally(1); finally = 1;", "(do (call $finally 1)) (do (= $finally 1))");
  expect_tree("try {} catch (e) {} finally(1);",
              "(try (block) (catch e (block))) (do (call $finally 1))");
}
END_TEST

START_TEST(something_named_throw_makes_calls_of_it) {
  expect_tree(
      "var throw; throw (a); throw [a]; throw -a; throw a;",
      "(var $throw _) (do (call $throw $a)) (do ([] $throw $a)) (do (- $throw $a)) (throw $a)");
  expect_tree("throw (a); class throw {}", "(do (call $throw $a)) (class $throw _)");
}
END_TEST

/* It does not continue an expression. */
START_TEST(a_bracket_after_a_block_starts_a_list) {
  expect_tree("{} [1];", "(block) (do (list 1))");
  expect_tree("fun f() {} [1];", "(fun $f ()) (do (list 1))");
  expect_tree("class A {} [1];", "(class $A _) (do (list 1))");
  expect_tree("if (a) {} [1];", "(if $a (block) _) (do (list 1))");
  expect_tree("a;[1];", "(do $a) (do (list 1))");
  expect_tree("return_[1];", "(do ([] $return_ 1))");
}
END_TEST

START_TEST(statements_nest) {
  expect_tree("if (a) b; else c;", "(if $a (do $b) (do $c))");
  expect_tree("if (a) if (b) c; else d;", "(if $a (if $b (do $c) (do $d)) _)");
  expect_tree("while (a) { b; }", "(while $a (block (do $b)))");
  expect_tree("for (;;) a;", "(for _ _ _ (do $a))");
  expect_tree("for (var i = 0; i < 2; i = i + 1) print i;",
              "(for (var i 0) (< i 2) (= i (+ i 1)) (print i))");
  expect_tree("for (a; b; c) {}", "(for (do $a) $b $c (block))");
  expect_tree("var a; var b = 1;", "(var $a _) (var $b 1)");
  expect_tree("{ var a; { a; } }", "(block (var a _) (block (do a)))");
}
END_TEST

START_TEST(functions_and_classes_hold_their_parts) {
  expect_tree("fun f(a, b) { return a; }", "(fun $f (a b) (return a))");
  expect_tree("fun f() { return; }", "(fun $f () (return _))");
  expect_tree("class A { init(x) { this.x = x; } get() { return this.x; } }",
              "(class $A _ (fun init (x) (do (.= this x x))) (fun get () (return (. this x))))");
  expect_tree("class B < A { m() { return super.m; } n() { super.n(1); } }",
              "(class $B $A (fun m () (return (super m))) (fun n () (do (call (super n) 1))))");
}
END_TEST

START_TEST(literals_keep_their_values) {
  struct lox_parsing parsing = lox_parsing_of_bytes("\"a\0b\"; 0.1; 123456789.5;", 24);
  ck_assert_ptr_nonnull(parsing.program);
  struct lox_statement **body = parsing.program->script->body.items;
  ck_assert_uint_eq(body[0]->expression->string.length, 3);
  ck_assert_mem_eq(body[0]->expression->string.bytes, "a\0b", 4);
  ck_assert_double_eq(body[1]->expression->number, 0.1);
  ck_assert_double_eq(body[2]->expression->number, 123456789.5);
  lox_parsing_end(&parsing);
}
END_TEST

START_TEST(an_operation_has_the_line_of_its_last_token) {
  struct lox_parsing parsing = lox_parsing_of_correct("a\n+\nb\n.c(\n1\n)\n;");
  const struct lox_expression *sum = parsing.program->script->body.items[0]->expression;
  ck_assert_int_eq(sum->line, 6);
  ck_assert_int_eq(sum->binary.left->line, 1);
  const struct lox_expression *call = sum->binary.right;
  ck_assert_int_eq(call->line, 6);
  ck_assert_int_eq(call->call.callee->line, 4);
  ck_assert_int_eq(call->call.arguments.items[0]->line, 5);
  lox_parsing_end(&parsing);
}
END_TEST

START_TEST(an_empty_source_is_an_empty_program) {
  expect_tree("", "");
  expect_tree("// nothing", "");
}
END_TEST

CHECK_MAIN("lox-syntax-parser", operators_bind_by_precedence_and_to_the_left,
           assignment_binds_to_the_right_and_weakest, calls_properties_and_indexing_chain,
           lists_are_primary_expressions, a_bracket_after_a_block_starts_a_list,
           exceptions_have_statements, words_of_exceptions_are_names_elsewhere,
           something_named_throw_makes_calls_of_it, statements_nest,
           functions_and_classes_hold_their_parts, literals_keep_their_values,
           an_operation_has_the_line_of_its_last_token, an_empty_source_is_an_empty_program)
