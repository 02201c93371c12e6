/* Monotonic time, independent of the time of day. */
#ifndef SPGC_SUPPORT_CLOCK_H
#define SPGC_SUPPORT_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t spgc_clock_read(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static inline uint64_t spgc_clock_ns(void) {
  return spgc_clock_read(CLOCK_MONOTONIC);
}

#endif
