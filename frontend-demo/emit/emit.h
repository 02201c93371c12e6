/* The IR is like any frontend's: references are ptr addrspace(1), loads and stores are plain,
 * allocation is a call, functions have gc "statepoint-example". spgc_lower_module adds the rest. */
#ifndef LOX_EMIT_EMIT_H
#define LOX_EMIT_EMIT_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>

#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/ast.h"

/* Shared by a session's units. */
struct lox_session;

struct lox_session *lox_session_create(void);

/* Accepts NULL. Emitted modules do not need the session. */
void lox_session_free(struct lox_session *session);

/* True once for each name: the current unit must define the variable. */
bool lox_session_introduces(struct lox_session *session, const struct lox_name *name);

/* Consecutive; returns the first. */
uint64_t lox_session_number_functions(struct lox_session *session, uint32_t count);

/* False without a session. */
bool lox_session_mentions(const struct lox_session *session, const char *name);

struct lox_emit_options {
  const char *unit_symbol; /* the one exported definition, a struct lox_unit */
  bool has_debug_information;
  bool has_stops; /* with debug information: statements begin with an instruction for breakpoints */
  struct lox_session
      *session; /* NULL: the program is complete. Otherwise the first unit that mentions a global
                 * variable defines it as a symbol of the process */
  bool tail_calls;
};

/* The caller owns the module. A program can be emitted once: the inference writes into it. */
LLVMModuleRef lox_emit_module(LLVMContextRef context, struct lox_program *program,
                              const struct lox_emit_options *options);

/* Debug information: each instruction's function and line. A method is called CLASS.METHOD.
 * Adapters have none. */
struct lox_debug;

/* The result lives in the arena. */
struct lox_debug *lox_debug_begin(LLVMModuleRef module, const char *path, struct lox_arena *arena);

/* Accepts NULL. */
void lox_debug_end(struct lox_debug *debug);

/* Returns the scope of its lines. */
LLVMMetadataRef lox_debug_function(struct lox_debug *debug, const struct lox_function *function,
                                   LLVMValueRef code);

#endif
