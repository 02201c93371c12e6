/* What a tool prints for --version. */
#ifndef SPGC_TOOLS_VERSION_H
#define SPGC_TOOLS_VERSION_H

enum { TOOL_VERSION_BYTES = 512 };

/* Writes the tool's name and version, and what it was built with, a line each. `llvm` is LLVM's
 * version, or NULL for a tool without it. */
void tool_version(char text[TOOL_VERSION_BYTES], const char *tool, const char *llvm);

#endif
