#include "support/fatal.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cancellation.h"
#include "support/memory_lock.h"

_Noreturn void spgc_fatal_at(const char *file, int line, const char *condition, const char *format,
                             ...) {
  char text[1024];
  spgc_cancellation_defer();
  int head = snprintf(text, sizeof text, "spgc: fatal: %s:%d: %s: ", file, line, condition);
  size_t used = head < 0 ? 0 : (size_t)head < sizeof text ? (size_t)head : sizeof text - 1;
  va_list arguments;
  va_start(arguments, format);
  int tail = vsnprintf(text + used, sizeof text - used, format, arguments);
  va_end(arguments);
  used += tail < 0 ? 0 : (size_t)tail;
  if (used > sizeof text - 2)
    used = sizeof text - 2;
  text[used] = '\n';
  ssize_t written = write(STDERR_FILENO, text, used + 1);
  (void)written;
  abort();
}

/* Keeps the message on one line, whatever a file's name or an option contains. */
static void copy_line(char *line, size_t size, const char *message) {
  size_t length = 0;
  for (; *message != '\0' && length < size - 1; message++) {
    unsigned char byte = (unsigned char)*message;
    if (byte == '\n')
      line[length++] = ' ';
    else if (byte < ' ' || byte == 0x7F)
      length += (size_t)snprintf(line + length, size - length, "\\x%02X", byte);
    else
      line[length++] = *message;
  }
  line[length < size ? length : size - 1] = '\0';
}

/* malloc reports the limit on locked memory as an exhausted system. */
static void explain_refusal(char *message, size_t size) {
  size_t allowed, length = strlen(message);
  if (spgc_memory_lock_is_limited(&allowed))
    snprintf(
        message + length, size - length,
        "; mlockall(MCL_FUTURE) locks all new mappings, and RLIMIT_MEMLOCK (ulimit -l) allows %zu "
        "KiB",
        allowed / 1024);
}

enum spgc_result spgc_error_set(struct spgc_error *error, enum spgc_result code, uint64_t position,
                                const char *format, ...) {
  if (error != NULL) {
    size_t behind_message = offsetof(struct spgc_error, line);
    memset((char *)error + behind_message, 0, sizeof *error - behind_message);
    error->code = code;
    error->position = position;
    va_list arguments;
    va_start(arguments, format);
    char message[sizeof error->message];
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (code == SPGC_ERROR_NO_MEMORY)
      explain_refusal(message, sizeof message);
    copy_line(error->message, sizeof error->message, message);
  }
  return code;
}

const char *spgc_result_name(enum spgc_result result) {
  switch (result) {
  case SPGC_OK: return "ok";
  case SPGC_ERROR_MALFORMED: return "malformed";
  case SPGC_ERROR_UNSUPPORTED: return "unsupported";
  case SPGC_ERROR_INVALID_ARGUMENT: return "invalid argument";
  case SPGC_ERROR_NO_MEMORY: return "out of memory";
  case SPGC_ERROR_STATE: return "wrong state";
  case SPGC_ERROR_REJECTED: return "rejected";
  case SPGC_ERROR_SYSTEM: return "system error";
  }
  return "unknown result";
}
