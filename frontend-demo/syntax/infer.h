/* Which locals hold only numbers, only booleans, ...: known before the program runs, because every
 * assignment to a local is in sight.
 */
#ifndef LOX_SYNTAX_INFER_H
#define LOX_SYNTAX_INFER_H

#include "frontend-demo/syntax/ast.h"

/* Fills `kind` of every variable. Optimistic: starts from "never has a value" and adds the kinds of
 * what is assigned, until nothing changes. */
void lox_infer(struct lox_program *program);

/* The same, more precisely, for a program that is all there will be: no other unit declares or
 * assigns its globals. Also chooses the functions that get a version for numbers: those with a call
 * that can use it. */
void lox_infer_complete(struct lox_program *program);

/* What the expression yields in this version of its function, if it yields anything: an operation
 * that fails has no value. After lox_infer. */
enum lox_kind lox_expression_kind(const struct lox_expression *expression,
                                  enum lox_version version);

enum lox_kind lox_variable_kind(const struct lox_variable *variable, enum lox_version version);

#endif
