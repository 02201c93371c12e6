#include "tools/version.h"

#include <stdio.h>
#include <string.h>

#include "spgc/version.h"
#include "support/standard_streams.h"

bool tool_print(const char *tool, const char *text) {
  int error = spgc_stdout_write(text, strlen(text));
  if (error != 0)
    fprintf(stderr, "%s: standard output: %s\n", tool, strerror(error));
  return error == 0;
}

bool tool_print_version(const char *tool, const char *llvm) {
  char text[512];
  const struct spgc_version *version = spgc_version();
  snprintf(text, sizeof text,
           "%s %s\n%s%s%slibunwind: %s\ncompiler: %s\nbuild type: %s\nsanitizers: %s\n"
           "prefetch queue: %s\n",
           tool, version->text, llvm != NULL ? "LLVM: " : "", llvm != NULL ? llvm : "",
           llvm != NULL ? "\n" : "", version->libunwind, version->compiler, version->build_type,
           version->sanitizers, version->prefetch_queue ? "on" : "off");
  return tool_print(tool, text);
}
