/* Exceptions with an error object. If none is caught, its message and a stack trace go to standard
 * error. */
#ifndef LOX_RUNTIME_ERROR_H
#define LOX_RUNTIME_ERROR_H

#include <stdint.h>

#include "frontend-demo/runtime/print.h"
#include "frontend-demo/runtime/value.h"
#include "spgc/handle.h"

_Noreturn void lox_error(const char *format, ...) __attribute__((format(printf, 1, 2), cold));
_Noreturn void lox_error_out_of_memory(void) __attribute__((cold));
_Noreturn void lox_error_undefined_property(const char *name) __attribute__((cold));
_Noreturn void lox_error_argument_count(uint64_t expected, uint64_t got) __attribute__((cold));

/* A program catches a runtime error as an instance of the runtime's class Error, which it cannot
 * name, with the strings `message` and `trace`. It prints as its message. */

/* A safepoint. Null without memory for the class. */
struct spgc_ref lox_error_object_make(struct spgc_handle message, struct spgc_handle trace);

bool lox_is_error(struct spgc_ref value);

/* Programs may store anything in these properties. Not safepoints. */
struct spgc_ref lox_error_message(struct spgc_ref error);
struct spgc_ref lox_error_trace(struct spgc_ref error);

/* Called before the heap stops. */
void lox_error_object_stop(void);

/* A stack trace: a line per call in progress, innermost first, from the statepoint ids of the
 * managed frames.
 *
 *   [line 3] in f() [line 9] in script
 *
 * A longer trace shows the first and the last LOX_TRACE_END frames, and the number of others. While
 * a handler waits, a trace ends after LOX_TRACE_SEEN frames, and says so, because a program that
 * throws at each level of a deep recursion would otherwise visit all frames each time. */

enum { LOX_TRACE_END = 16, LOX_TRACE_SEEN = 128 };

/* No newline at the end. False if no Lox code is active. Not a safepoint. */
bool lox_trace_write(struct lox_writer *writer);

/* Empty if no Lox code is active. A safepoint. */
struct spgc_ref lox_trace_make(void);

#endif
