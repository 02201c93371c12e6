#ifndef SPGC_TOOLS_VERSION_H
#define SPGC_TOOLS_VERSION_H

#include <stdbool.h>

/* Prints on standard output. Reports an error and returns false if that fails. */
bool tool_print(const char *tool, const char *text);

/* Prints name, version and build. `llvm` is LLVM's version, or NULL. */
bool tool_print_version(const char *tool, const char *llvm);

#endif
