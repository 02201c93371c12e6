#include "frontend-demo/runtime/input.h"

#include <errno.h>
#include <unistd.h>

#include "frontend-demo/runtime/interrupt.h"

static ssize_t read_some(void *cookie, char *bytes, size_t size) {
  if (lox_interrupts_wait_for(STDIN_FILENO))
    return read(STDIN_FILENO, bytes, size);
  errno = EINTR;
  return -1;
}

FILE *lox_input(void) {
  static FILE *input;
  if (input == NULL)
    input = fopencookie(NULL, "r", (cookie_io_functions_t){.read = read_some});
  return input;
}
