/* A library whose destructor runs after the program's: for exit_main.c. */
#include "tests/integration/linger.h"

#include <stddef.h>

void (*linger)(void);

__attribute__((destructor)) static void run(void) {
  if (linger != NULL)
    linger();
}
