/* The interactive session. */
#ifndef LOX_DRIVER_REPL_H
#define LOX_DRIVER_REPL_H

#include "frontend-demo/driver/options.h"

/* Runs entries from standard input until it ends; an error in an entry does not end the session.
 * Returns 0 unless the session could not start, or its output could not be written. */
int lox_repl(const struct lox_options *options);

#endif
