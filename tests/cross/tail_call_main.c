/* A thread attaches in a function whose frame is replaced by a managed one, in a tail call. */
#include <stdio.h>
#include <stdlib.h>

#include "spgc/heap.h"
#include "spgc/thread.h"

int64_t managed_run(int64_t n);

static void require(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "%s\n", what);
  exit(EXIT_FAILURE);
}

static struct spgc_error error; /* not in a frame, which its address would keep */

__attribute__((noinline)) static int64_t attach_and_run(int64_t n) {
  volatile char variables[512];
  variables[0] = 0;
  require(spgc_thread_attach(__builtin_frame_address(0), &error) == SPGC_OK, "not attached");
  return managed_run(n);
}

int main(int count, char **words) {
  require(count == 3, "tail_call_main N EXPECTED");
  require(spgc_start(NULL, &error) == SPGC_OK, "no heap");
  int64_t result = attach_and_run(atol(words[1]));
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  require(statistics.moved_objects != 0, "nothing moved");
  spgc_thread_detach();
  spgc_stop();
  printf("%ld\n", (long)result);
  return result == atol(words[2]) ? EXIT_SUCCESS : EXIT_FAILURE;
}
