/* The units that were loaded, and the names of their functions. */
#ifndef LOX_RUNTIME_UNIT_H
#define LOX_RUNTIME_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend-demo/runtime/abi.h"
#include "spgc/code_name.h"

/* The unit must stay in memory until the process ends. */
void lox_unit_remember(const struct lox_unit *unit);

/* The name of a loaded unit's function by its number in the process. `top_level` becomes true for a
 * unit's script. */
const char *lox_unit_function_name(uint64_t function, bool *top_level);

/* Tells the library the function, file and line of a call in generated code (spgc/code_name.h). */
bool lox_unit_find_source(void *context, uintptr_t instruction, uint64_t statepoint_id,
                          struct spgc_source_place *place);

#endif
