#include "tools/version.h"

#include <stdio.h>

#include "spgc/version.h"

void tool_version(char text[TOOL_VERSION_BYTES], const char *tool, const char *llvm) {
  const struct spgc_version *version = spgc_version();
  snprintf(text, TOOL_VERSION_BYTES,
           "%s %s\n%s%s%slibunwind: %s\ncompiler: %s\nbuild type: %s\nsanitizers: %s\n"
           "prefetch queue: %s\n",
           tool, version->text, llvm != NULL ? "LLVM: " : "", llvm != NULL ? llvm : "",
           llvm != NULL ? "\n" : "", version->libunwind, version->compiler, version->build_type,
           version->sanitizers, version->prefetch_queue ? "on" : "off");
}
