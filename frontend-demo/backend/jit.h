/* Code that runs at once: the JIT, and the runtime's symbols for it. */
#ifndef LOX_BACKEND_JIT_H
#define LOX_BACKEND_JIT_H

#include <llvm-c/Core.h>

#include "spgc/jit.h"

/* `listeners` are the debuggers and profilers that are told of code: spgc/jit.h. The caller
 * destroys the JIT, even after an error, unless it is NULL. */
enum spgc_result lox_jit_start(struct spgc_jit **jit, unsigned listeners, struct spgc_error *error);

/* Loads a lowered object, which it takes over, and finds the unit that it exports. */
enum spgc_result lox_jit_load(struct spgc_jit *jit, LLVMMemoryBufferRef object, const char *symbol,
                              void **unit, struct spgc_error *error);

#endif
