/* For exit_main.c: its destructor runs after the program's. */
#include "tests/integration/linger.h"

#include <stddef.h>

void (*linger)(void);

__attribute__((destructor)) static void run(void) {
  if (linger != NULL)
    linger();
}
