/* Executables. */
#ifndef LOX_BACKEND_LINK_H
#define LOX_BACKEND_LINK_H

#include "frontend-demo/driver/libraries.h"

/* Links with the value of the environment variable CC. Without, with `cc`, or for another machine
 * with `TRIPLE-gcc`. Reports errors on standard error, and returns an exit code. */
int lox_link(const char *object, const struct lox_libraries *libraries, const char *output);

#endif
