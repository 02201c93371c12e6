#ifndef SPGC_BENCH_WALK_CLOCK_H
#define SPGC_BENCH_WALK_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t processor_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

#endif
