/* Debug information (DWARF): which function and which line of the source an instruction comes from.
 *
 * A plain function has its own name there, a method its class's before it: Point.norm. Both
 * versions of a function have the same name and lines. Adapters have none: no line of source stands
 * for them.
 */
#ifndef LOX_EMIT_DEBUG_H
#define LOX_EMIT_DEBUG_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/ast.h"

struct lox_debug;

/* Describes the module as compiled from the source at `path`. Lives in the arena. */
struct lox_debug *lox_debug_begin(LLVMModuleRef module, const char *path, struct lox_arena *arena);

/* Once the module's code is complete. NULL does nothing. */
void lox_debug_end(struct lox_debug *debug);

/* Says that `code` is compiled from the function; the scope of its lines. */
LLVMMetadataRef lox_debug_function(struct lox_debug *debug, const struct lox_function *function,
                                   LLVMValueRef code);

#endif
