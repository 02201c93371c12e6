/* Compiles programs into this process and runs them. There is one machine at a time. */
#ifndef LOX_DRIVER_MACHINE_H
#define LOX_DRIVER_MACHINE_H

#include "frontend-demo/driver/options.h"
#include "frontend-demo/syntax/ast.h"

struct lox_machine;

/* Starts the runtime and the loader. Returns LOX_EXIT_OK, or reports the reason on standard error.
 * `is_session`: units share their global variables. */
int lox_machine_start(const struct lox_options *options, bool is_session,
                      struct lox_machine **machine);

/* Compiles and runs one unit; its code stays until the machine stops. Returns the exit code of a
 * process that did only this. */
int lox_machine_run(struct lox_machine *machine, const char *path, struct lox_string text);

/* Returns `code`, unless lox_runtime_stop changes it. */
int lox_machine_stop(struct lox_machine *machine, int code);

#endif
