#include "bench/workloads/environment.h"

uint64_t environment_run(const struct workload *workload, const uint64_t *arguments,
                         struct environment_statistics *statistics) {
  *statistics = (struct environment_statistics){0};
  return workload->run(arguments);
}

void environment_attach(void *base) {
}

void environment_detach(void) {
}

void environment_block(void *(*function)(void *argument), void *argument) {
  function(argument);
}
