/* A local variable in a stack trace:
 *
 *       name = "its value"
 *
 * The value is printed as by print, in one line of limited length, with strings in quotes.
 */
#ifndef LOX_RUNTIME_LOCAL_H
#define LOX_RUNTIME_LOCAL_H

#include "frontend-demo/runtime/print.h"

enum { LOX_LOCAL_VALUE_MAX = 80 }; /* bytes of a value */

/* Writes a newline, then the line. `held` is the value or the cell that holds it. Writes nothing
 * for a variable that has no value yet. Not a safepoint. */
void lox_local_write(struct lox_writer *writer, const char *name, struct spgc_ref held);

#endif
