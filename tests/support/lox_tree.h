/* A Lox program's tree as text, for comparisons.
 *
 *   variables     x local, ^x captured, $x global
 *   expressions   1 "s" nil true false (list a b) (+ a b) (- a) (! a) (and a b) (or a b) (= x v)
 *                 (call f a b) (. o name) (.= o name v) (super name) ([] o i) ([]= o i v)
 *   statements    (do e) (print e) (var x e) (block s...) (if c s s) (while c s) (for s c e s)
 * (return e) (fun x (parameters) s...) (class x superclass (fun ...)...), with _ for what is absent
 */
#ifndef TESTS_SUPPORT_LOX_TREE_H
#define TESTS_SUPPORT_LOX_TREE_H

#include "frontend-demo/syntax/ast.h"

char *lox_tree_text(const struct lox_program *program);

#endif
