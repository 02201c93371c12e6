/* Infers which locals hold only numbers, only booleans, and so on, before the program runs. This
 * works because every assignment to a local is visible. */
#ifndef LOX_FAST_INFER_H
#define LOX_FAST_INFER_H

#include "frontend-demo/syntax/ast.h"

/* Fills `kind` of every variable, and `result` of every function. It is optimistic: it starts from
 * "never has a value", and adds the kinds of assigned values until nothing changes. */
void lox_infer(struct lox_program *program);

/* Like lox_infer, more precisely, for a complete program: no other unit declares or assigns its
 * globals. */
void lox_infer_complete(struct lox_program *program);

/* The kind of the expression's value, if it gives one: an operation that fails has no value. Valid
 * after lox_infer. */
enum lox_kind lox_expression_kind(const struct lox_expression *expression);

#endif
