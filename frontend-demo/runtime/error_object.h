/* The object that a program catches when the runtime raised the error: an instance of the runtime's
 * class Error, with the properties `message` and `trace`, both strings. It prints as its message.
 * Programs cannot name the class. */
#ifndef LOX_RUNTIME_ERROR_OBJECT_H
#define LOX_RUNTIME_ERROR_OBJECT_H

#include "frontend-demo/runtime/value.h"
#include "spgc/handle.h"

/* A safepoint. Null when out of memory for the class. */
struct spgc_ref lox_error_object_make(struct spgc_handle message, struct spgc_handle trace);

bool lox_is_error(struct spgc_ref value);

/* The properties' present values: a program may have stored anything there. Not safepoints. */
struct spgc_ref lox_error_message(struct spgc_ref error);
struct spgc_ref lox_error_trace(struct spgc_ref error);

/* Forgets the class. Called before the heap stops. */
void lox_error_object_stop(void);

#endif
