/* Executables and other output files. */
#ifndef LOX_DRIVER_BUILD_H
#define LOX_DRIVER_BUILD_H

#include "frontend-demo/driver/options.h"
#include "frontend-demo/syntax/ast.h"

/* Compiles ahead of time and links with the system's C compiler (`cc`, or what the environment
 * variable CC names), against the runtime libraries found next to this executable. */
int lox_build(const struct lox_options *options, struct lox_string text);

/* Writes what options->stage asks for. */
int lox_write_stage(const struct lox_options *options, struct lox_string text);

#endif
