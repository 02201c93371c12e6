/* Infers which locals hold only numbers, only booleans, and so on, before the program runs. This
 * works because every assignment to a local is visible. */
#ifndef LOX_FAST_INFER_H
#define LOX_FAST_INFER_H

#include "frontend-demo/syntax/ast.h"

/* Fills `kind` of every variable. It is optimistic: it starts from "never has a value", and adds
 * the kinds of assigned values until nothing changes. */
void lox_infer(struct lox_program *program);

/* The same, more precisely, for a complete program: no other unit declares or assigns its globals.
 * It also chooses the functions that get a version for numbers: those with a call that can use
 * it. With `has_tail_calls`, calls in return position leave no frame. */
void lox_infer_complete(struct lox_program *program, bool has_tail_calls);

/* The kind of the expression's value in this version of its function, if it gives one: an operation
 * that fails has no value. Valid after lox_infer. */
enum lox_kind lox_expression_kind(const struct lox_expression *expression,
                                  enum lox_version version);

#endif
