/* The interactive session's memory: the names of global variables that units have defined, and the
 * numbers handed out. */
#ifndef LOX_EMIT_SESSION_H
#define LOX_EMIT_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend-demo/emit/emit.h"

/* True at the first call for this name: then the current unit must define the variable. */
bool lox_session_introduces(struct lox_session *session, const struct lox_name *name);

/* Hands out `count` consecutive function numbers; returns the first. */
uint64_t lox_session_number_functions(struct lox_session *session, uint32_t count);

#endif
