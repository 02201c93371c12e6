#ifndef SPGC_TOOLS_VERSION_H
#define SPGC_TOOLS_VERSION_H

#include <stdbool.h>

/* False, with a message, if that fails. */
bool tool_print(const char *tool, const char *text);

/* `llvm` is LLVM's version, or NULL. */
bool tool_print_version(const char *tool, const char *llvm);

#endif
