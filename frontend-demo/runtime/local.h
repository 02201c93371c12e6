/* A local variable in a stack trace:
 *
 *       name = "its value"
 *
 * as print shows it, in one line of limited length, strings in quotes. */
#ifndef LOX_RUNTIME_LOCAL_H
#define LOX_RUNTIME_LOCAL_H

#include "frontend-demo/runtime/print.h"

enum { LOX_LOCAL_VALUE_MAX = 80 }; /* bytes of a value */

/* A newline, then the line. `held` is the value or the cell that holds it; of a variable that has
 * no value yet, nothing is written. Not a safepoint. */
void lox_local_write(struct lox_writer *writer, const char *name, struct spgc_ref held);

#endif
