/* The interactive session's memory: names of global variables that units have defined, and numbers
 * given out. */
#ifndef LOX_EMIT_SESSION_H
#define LOX_EMIT_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "frontend-demo/emit/emit.h"

/* True the first time it is asked for this name: the unit at hand is the one to define the
 * variable. */
bool lox_session_introduces(struct lox_session *session, const struct lox_name *name);

/* Gives out `count` consecutive function numbers; returns the first. */
uint64_t lox_session_number_functions(struct lox_session *session, uint32_t count);

#endif
