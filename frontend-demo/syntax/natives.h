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

/* NULL if there is none. */
const struct lox_native_signature *lox_find_native(const struct lox_string *name);

/* Fills `native` of a complete program's globals: those with a native's name that the program never
 * declares or assigns. */
void lox_find_natives(struct lox_program *program);

/* NULL unless the call certainly calls a native, with the right number of arguments. */
const struct lox_native_signature *lox_called_native(const struct lox_expression *call);

#endif
