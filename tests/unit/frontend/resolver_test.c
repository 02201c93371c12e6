#include <stdlib.h>
#include <string.h>

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

static bool is_named(const struct lox_name *name, const char *text) {
  return name && strcmp(name->text.bytes, text) == 0;
}

static const struct lox_function *function(const struct lox_parsing *parsing, const char *name) {
  for (uint32_t i = 0; i < parsing->program->function_count; i++) {
    if (is_named(parsing->program->functions[i]->name, name))
      return parsing->program->functions[i];
  }
  ck_abort_msg("no function %s", name);
  return NULL;
}

static const struct lox_global *global(const struct lox_parsing *parsing, const char *name) {
  for (uint32_t i = 0; i < parsing->program->global_count; i++) {
    if (is_named(parsing->program->globals[i]->name, name))
      return parsing->program->globals[i];
  }
  ck_abort_msg("no global %s", name);
  return NULL;
}

START_TEST(the_innermost_declaration_in_scope_is_meant) {
  expect_tree("var a; { print a; var a; print a; } print a;",
              "(var $a _) (block (print $a) (var a _) (print a)) (print $a)");
  expect_tree("{ var a = 1; { var a = 2; a = 3; } }",
              "(block (var a 1) (block (var a 2) (do (= a 3))))");
  expect_tree("fun f(a) { { var a; } }", "(fun $f (a) (block (var a _)))");
}
END_TEST

START_TEST(a_name_bound_later_in_the_block_is_not_meant_by_earlier_closures) {
  expect_tree("var a; { fun f() { return a; } var a; }",
              "(var $a _) (block (fun f () (return $a)) (var a _))");
}
END_TEST

START_TEST(closures_capture_through_every_function_between) {
  struct lox_parsing parsing =
      lox_parsing_of_correct("fun f(a, b) { fun g() { fun h() { return b; } return a; } }");
  const struct lox_function *f = function(&parsing, "f"), *g = function(&parsing, "g"),
                            *h = function(&parsing, "h");
  ck_assert_uint_eq(f->capture_count, 0);
  ck_assert_uint_eq(g->capture_count, 2);
  ck_assert_ptr_eq(g->captures[0].variable, f->variables[1]);
  ck_assert(!g->captures[0].from_enclosing_capture);
  ck_assert_uint_eq(g->captures[0].index, 1);
  ck_assert_ptr_eq(g->captures[1].variable, f->variables[0]);
  ck_assert_uint_eq(h->capture_count, 1);
  ck_assert_ptr_eq(h->captures[0].variable, f->variables[1]);
  ck_assert(h->captures[0].from_enclosing_capture);
  ck_assert_uint_eq(h->captures[0].index, 0);
  ck_assert(f->variables[0]->is_captured && f->variables[1]->is_captured);
  ck_assert(!f->variables[2]->is_captured); /* g itself */
  ck_assert_ptr_eq(h->enclosing, g);
  ck_assert_ptr_eq(g->enclosing, f);
  lox_parsing_end(&parsing);
}
END_TEST

START_TEST(a_variable_is_captured_once_per_function) {
  struct lox_parsing parsing = lox_parsing_of_correct("{ var a; fun f() { a = a + a; } }");
  ck_assert_uint_eq(function(&parsing, "f")->capture_count, 1);
  ck_assert_uint_eq(function(&parsing, "f")->captures[0].variable->assigned_count, 1);
  lox_parsing_end(&parsing);
}
END_TEST

START_TEST(a_local_function_may_capture_itself) {
  struct lox_parsing parsing = lox_parsing_of_correct("{ fun f() { f(); } }");
  const struct lox_function *f = function(&parsing, "f");
  ck_assert_uint_eq(f->capture_count, 1);
  ck_assert(is_named(f->captures[0].variable->name, "f"));
  ck_assert_ptr_eq(f->captures[0].variable->owner, parsing.program->script);
  lox_parsing_end(&parsing);
}
END_TEST

START_TEST(assignments_are_counted_without_the_initialisation) {
  struct lox_parsing parsing =
      lox_parsing_of_correct("fun f(p) { var a = 1; var b = 2; b = 3; p = b = 4; }");
  struct lox_variable **variables = function(&parsing, "f")->variables;
  ck_assert_uint_eq(variables[0]->assigned_count, 1);
  ck_assert_uint_eq(variables[1]->assigned_count, 0);
  ck_assert_uint_eq(variables[2]->assigned_count, 2);
  lox_parsing_end(&parsing);
}
END_TEST

START_TEST(nested_functions_capture_this_and_super) {
  struct lox_parsing parsing =
      lox_parsing_of_correct("class A {} class B < A { m() { fun f() { return this; } fun g() { "
                             "return super.m; } } init() {} }");
  const struct lox_function *m = function(&parsing, "m"), *f = function(&parsing, "f"),
                            *g = function(&parsing, "g");
  ck_assert_int_eq(m->kind, LOX_METHOD);
  ck_assert_ptr_eq(m->receiver, m->variables[0]);
  ck_assert_uint_eq(f->capture_count, 1);
  ck_assert_ptr_eq(f->captures[0].variable, m->receiver);
  ck_assert_uint_eq(g->capture_count, 2);
  ck_assert_ptr_eq(g->captures[0].variable, m->receiver);
  ck_assert_ptr_eq(g->captures[1].variable, m->class_->superclass_variable);
  ck_assert(g->captures[1].from_enclosing_capture);
  ck_assert_uint_eq(m->capture_count, 1);
  ck_assert_ptr_eq(m->class_->superclass_variable->owner, parsing.program->script);
  ck_assert_int_eq(function(&parsing, "init")->kind, LOX_INITIALIZER);
  ck_assert_int_eq(f->kind, LOX_PLAIN_FUNCTION);
  lox_parsing_end(&parsing);
}
END_TEST

START_TEST(the_class_of_the_outer_method_owns_its_this) {
  struct lox_parsing parsing =
      lox_parsing_of_correct("class A { m() { class B { n() { this.inner = 1; } } this.outer = 2; "
                             "fun f() { this.deep = 3; } } }");
  const struct lox_class *a = parsing.program->classes[0], *b = parsing.program->classes[1];
  ck_assert_uint_eq(b->field_count, 1);
  ck_assert(is_named(b->fields[0], "inner"));
  ck_assert_uint_eq(a->field_count, 2);
  ck_assert(is_named(a->fields[0], "outer"));
  ck_assert(is_named(a->fields[1], "deep"));
  lox_parsing_end(&parsing);
}
END_TEST

START_TEST(predicted_fields_are_distinct_and_set_through_this) {
  struct lox_parsing parsing = lox_parsing_of_correct(
      "class A { init(o) { this.x = 1; this.y = this.x = 2; o.z = 3; this.x.w = 4; } }");
  const struct lox_class *a = parsing.program->classes[0];
  ck_assert_uint_eq(a->field_count, 2);
  ck_assert(is_named(a->fields[0], "x"));
  ck_assert(is_named(a->fields[1], "y"));
  lox_parsing_end(&parsing);
}
END_TEST

START_TEST(globals_know_their_declarations) {
  struct lox_parsing parsing =
      lox_parsing_of_correct("fun once() {} fun twice() {} fun twice() {} fun set() {} class C {} "
                             "class D {} var D; var v = 1;"
                             "fun user() { set = 1; once(); unknown; { fun once() {} } }");
  ck_assert(global(&parsing, "once")->is_single_function);
  ck_assert_ptr_eq(global(&parsing, "once")->function, function(&parsing, "once"));
  ck_assert(!global(&parsing, "twice")->is_single_function);
  ck_assert_uint_eq(global(&parsing, "twice")->declared_count, 2);
  ck_assert(!global(&parsing, "set")->is_single_function);
  ck_assert_uint_eq(global(&parsing, "set")->assigned_count, 1);
  ck_assert(global(&parsing, "C")->is_single_class);
  ck_assert(!global(&parsing, "C")->is_single_function);
  ck_assert(!global(&parsing, "D")->is_single_class);
  ck_assert_uint_eq(global(&parsing, "v")->declared_count, 1);
  ck_assert_uint_eq(global(&parsing, "unknown")->declared_count, 0);
  for (uint32_t i = 0; i < parsing.program->global_count; i++)
    ck_assert_uint_eq(parsing.program->globals[i]->index, i);
  lox_parsing_end(&parsing);
}
END_TEST

CHECK_MAIN("lox-syntax-resolver", the_innermost_declaration_in_scope_is_meant,
           a_name_bound_later_in_the_block_is_not_meant_by_earlier_closures,
           closures_capture_through_every_function_between,
           a_variable_is_captured_once_per_function, a_local_function_may_capture_itself,
           assignments_are_counted_without_the_initialisation,
           nested_functions_capture_this_and_super, the_class_of_the_outer_method_owns_its_this,
           predicted_fields_are_distinct_and_set_through_this, globals_know_their_declarations)
