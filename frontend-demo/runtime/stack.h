/*   low                                                                              high
 *    | guard | margin: C code and error reports | Lox frames, from the top down          |
 *            ^ faults below                     ^ lox_stack_limit */
#ifndef LOX_RUNTIME_STACK_H
#define LOX_RUNTIME_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/result.h"

struct lox_stack {
  char *start;
  size_t size;
};

/* LOX_STACK_MIB in the environment gives the size (4 to 65536). Otherwise the stack is as large as
 * the system allows, up to 64 MiB: unused pages cost nothing. */
enum spgc_result lox_stack_reserve(struct lox_stack *stack, struct spgc_error *error);

void lox_stack_release(struct lox_stack *stack);

/* A stack pointer below this address is an overflow. */
uintptr_t lox_stack_limit(const struct lox_stack *stack);

#endif
