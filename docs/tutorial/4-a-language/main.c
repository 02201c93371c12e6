/* Starts the collector, and runs a program of Nib. */
#include "nib.h"

#include <stdio.h>
#include <stdlib.h>

#include "spgc/heap.h"
#include "spgc/protect.h"
#include "spgc/thread.h"

enum { STACK_BYTES = 4 << 20 }; /* of 8 MiB, which is usual for a first thread */

static void *run(void *unused) {
  nib_main();
  return unused;
}

int main(void) {
  struct spgc_error error;
  setvbuf(stdout, NULL, _IOLBF, 0); /* errors come after the lines before them */
  if (spgc_start(NULL, &error) != SPGC_OK ||
      spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK) {
    fprintf(stderr, "nib: %s\n", error.message);
    return EXIT_FAILURE;
  }
  spgc_set_out_of_memory_hook(nib_out_of_memory, NULL);
  spgc_thread.stack_limit = (uintptr_t)__builtin_frame_address(0) - STACK_BYTES;
  bool was_left;
  spgc_protect(run, NULL, &was_left);
  spgc_thread_detach();
  spgc_stop();
  return was_left ? EXIT_FAILURE : EXIT_SUCCESS;
}
