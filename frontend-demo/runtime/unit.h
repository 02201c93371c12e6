/* Loading compiled units: their string literals, their globals, the names of their functions. */
#ifndef LOX_RUNTIME_UNIT_H
#define LOX_RUNTIME_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend-demo/runtime/abi.h"

/* The unit must stay in memory until the process ends. A safepoint. */
void lox_unit_load(const struct lox_unit *unit);

/* Name of a function of a loaded unit by its number in the process. `top_level` tells whether it is
 * a unit's script. */
const char *lox_unit_function_name(uint64_t function, bool *top_level);

/* How many parameters code takes: LOX_TAIL_CALL_VALUES, or 0 for as many as it is passed words.
 * After a unit was loaded.
 */
uint64_t lox_unit_code_values(void);

/* Name of a local variable that the deopt state of a call in the function numbers so. */
const char *lox_unit_local_name(uint64_t function, uint64_t local);

#endif
