/* Executables. */
#ifndef LOX_BACKEND_LINK_H
#define LOX_BACKEND_LINK_H

#include "frontend-demo/driver/libraries.h"

/* Links with `cc`, or with the value of the environment variable CC. Reports errors on standard
 * error, and returns an exit code. */
int lox_link(const char *object, const struct lox_libraries *libraries, const char *output);

#endif
