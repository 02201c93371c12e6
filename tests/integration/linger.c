/* A library whose destructor runs at the end of a process after those of the program: for
 * exit_main.c. */
#include "tests/integration/linger.h"

#include <stddef.h>

void (*linger)(void);

__attribute__((destructor)) static void run(void) {
  if (linger != NULL)
    linger();
}
