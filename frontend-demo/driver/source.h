/* Source files. */
#ifndef LOX_DRIVER_SOURCE_H
#define LOX_DRIVER_SOURCE_H

#include <stdbool.h>

#include "frontend-demo/syntax/ast.h"

/* Reads all of a file, whatever its bytes. False, with the reason on standard error, when it cannot
 * be read: missing, not permitted, a directory, or larger than LOX_SOURCE_MAX. The caller must free
 * text->bytes. */
bool lox_source_read(const char *path, struct lox_string *text);

enum { LOX_SOURCE_MAX = 256 * 1024 * 1024 };

#endif
