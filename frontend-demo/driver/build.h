/* Executables and other output files. */
#ifndef LOX_DRIVER_BUILD_H
#define LOX_DRIVER_BUILD_H

#include "frontend-demo/driver/options.h"
#include "frontend-demo/syntax/ast.h"

/* Compiles ahead of time, and links against the runtime libraries found next to this executable,
 * with the system's C compiler (`cc`, or the value of the environment variable CC). */
int lox_build(const struct lox_options *options, struct lox_string text);

/* Writes the output of options->stage. */
int lox_write_stage(const struct lox_options *options, struct lox_string text);

#endif
