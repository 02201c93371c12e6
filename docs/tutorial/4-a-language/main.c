/* Starts the collector, and runs a program of Nib. */
#include "nib.h"

#include <stdio.h>
#include <stdlib.h>

#include "spgc/heap.h"
#include "spgc/main.h"
#include "spgc/protect.h"
#include "spgc/thread.h"

enum { STACK_BYTES = 4 << 20 }; /* of 8 MiB, which is usual for a first thread */

static void *run(void *unused) {
  nib_main();
  return unused;
}

static void program(void *status) {
  bool has_failed;
  spgc_set_out_of_memory_hook(nib_out_of_memory, NULL);
  spgc_thread.stack_limit = (uintptr_t)__builtin_frame_address(0) - STACK_BYTES;
  spgc_protect(run, NULL, &has_failed);
  *(int *)status = has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(void) {
  struct spgc_error error;
  int status = EXIT_FAILURE;
  setvbuf(stdout, NULL, _IOLBF, 0); /* errors come after the lines before them */
  if (spgc_main(NULL, program, &status, &error) != SPGC_OK)
    fprintf(stderr, "nib: %s\n", error.message);
  return status;
}
