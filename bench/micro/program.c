#include "bench/micro/program.h"

#include <stdio.h>
#include <stdlib.h>

#include "spgc/heap.h"
#include "spgc/thread.h"

void micro_fail(const char *what) {
  fprintf(stderr, "spgc-micro: %s\n", what);
  exit(EXIT_FAILURE);
}

void micro_require(bool right, const char *wrong) {
  if (!right)
    micro_fail(wrong);
}

static void require(enum spgc_result result, const struct spgc_error *error) {
  micro_require(result == SPGC_OK, error->message);
}

void micro_start(void *base) {
  struct spgc_error error;
  struct spgc_options options = {.size = sizeof options, .nursery_size = MICRO_NURSERY_BYTES};
  require(spgc_start(&options, &error), &error);
  require(spgc_thread_attach(base, &error), &error);
}

void micro_stop(void) {
  spgc_thread_detach();
  spgc_stop();
}
