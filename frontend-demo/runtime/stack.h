/* The stack that Lox code runs on.
 *
 *   low                                                                              high
 *    | guard | margin: C code and error reports | what Lox uses, from the top down       |
 *            ^ faults below                     ^ lox_stack_limit
 */
#ifndef LOX_RUNTIME_STACK_H
#define LOX_RUNTIME_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/result.h"

struct lox_stack {
  char *start; /* of the guard */
  size_t size;
};

/* As large as the environment's LOX_STACK_MIB says (4 to 65536), else as large as the system allows
 * up to 64 MiB: the pages cost nothing until they are used. */
enum spgc_result lox_stack_reserve(struct lox_stack *stack, struct spgc_error *error);

void lox_stack_release(struct lox_stack *stack);

/* Below it, Lox code reports a stack overflow. */
uintptr_t lox_stack_limit(const struct lox_stack *stack);

#endif
