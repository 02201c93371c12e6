#include "gc/state/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "support/cancellation.h"

void spgc_log(const char *format, ...) {
  SPGC_UNCANCELLED;
  char line[512] = "spgc: ";
  enum { HEAD = sizeof "spgc: " - 1, SPACE = sizeof line - HEAD - 1 };
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line + HEAD, SPACE, format, arguments);
  va_end(arguments);
  size_t used = length < 0 ? 0 : length < SPACE ? (size_t)length : SPACE - 1;
  line[HEAD + used] = '\n';
  ssize_t written = write(STDERR_FILENO, line, HEAD + used + 1);
  (void)written;
}
