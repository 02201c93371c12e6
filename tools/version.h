#ifndef SPGC_TOOLS_VERSION_H
#define SPGC_TOOLS_VERSION_H

#include <stdbool.h>

/* On standard output. False, with a message, if the text cannot be written. */
bool tool_print(const char *tool, const char *text);

/* Prints the tool's name and version, and its build. `llvm` is LLVM's version, or NULL. */
bool tool_print_version(const char *tool, const char *llvm);

#endif
