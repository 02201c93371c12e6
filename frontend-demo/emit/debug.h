/* Debug information (DWARF): the function and the line of the source of each instruction.
 *
 * A plain function has its own name there; a method has its class's name before its own:
 * Point.norm. Adapters have none, because
 * no line of source belongs to them.
 */
#ifndef LOX_EMIT_DEBUG_H
#define LOX_EMIT_DEBUG_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/ast.h"

struct lox_debug;

/* Describes the module as compiled from the source at `path`. The result lives in the arena. */
struct lox_debug *lox_debug_begin(LLVMModuleRef module, const char *path, struct lox_arena *arena);

/* Must be called when the module's code is complete. NULL does nothing. */
void lox_debug_end(struct lox_debug *debug);

/* Declares that `code` is compiled from the function. Returns the scope of its lines. */
LLVMMetadataRef lox_debug_function(struct lox_debug *debug, const struct lox_function *function,
                                   LLVMValueRef code);

#endif
