/* What is known of native functions before the program runs. */
#ifndef LOX_SYNTAX_NATIVES_H
#define LOX_SYNTAX_NATIVES_H

#include "frontend-demo/runtime/abi.h"
#include "frontend-demo/syntax/ast.h"

struct lox_native_signature {
  const char *name;
  enum lox_native_number number;
  uint32_t arity;
  enum lox_kind result;
};

/* NULL if no native function has this name. */
const struct lox_native_signature *lox_find_native(const struct lox_string *name);

/* Fills `native` of the globals of a program that is all there will be: a native's name that it
 * never declares or assigns stands for that native. */
void lox_find_natives(struct lox_program *program);

/* The native function that this call surely calls, with as many arguments as it takes; or NULL. */
const struct lox_native_signature *lox_called_native(const struct lox_expression *call);

#endif
