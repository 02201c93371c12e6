/* What a tool prints for --help and --version. */
#ifndef SPGC_TOOLS_VERSION_H
#define SPGC_TOOLS_VERSION_H

#include <stdbool.h>

/* Prints on standard output. False, with a message of the tool, if the text cannot be written. */
bool tool_print(const char *tool, const char *text);

/* Prints the tool's name and version, and what it was built with, a line each. `llvm` is LLVM's
 * version, or NULL for a tool without it. */
bool tool_print_version(const char *tool, const char *llvm);

#endif
