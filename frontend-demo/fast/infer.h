/* Infers which locals hold only numbers, only booleans, and so on: every assignment to a local is
 * visible. */
#ifndef LOX_FAST_INFER_H
#define LOX_FAST_INFER_H

#include "frontend-demo/syntax/ast.h"

/* Fills `kind` of variables, and `result` of functions, from "never has a value", by adding the
 * kinds of assigned values until nothing changes. */
void lox_infer(struct lox_program *program);

/* More precise: no other unit declares or assigns the program's globals. */
void lox_infer_complete(struct lox_program *program);

/* The kind of the value, unless the expression fails. Valid after lox_infer. */
enum lox_kind lox_expression_kind(const struct lox_expression *expression);

#endif
