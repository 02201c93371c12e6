/* A busy machine disturbs a thread's own time less. */
#ifndef SPGC_BENCH_MICRO_CLOCK_H
#define SPGC_BENCH_MICRO_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

static inline double clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline double elapsed_ns(void) {
  return clock_ns(CLOCK_MONOTONIC);
}

static inline double processor_ns(void) {
  return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* The other thread must not have ended. */
static inline double processor_ns_of(pthread_t thread) {
  clockid_t clock;
  return pthread_getcpuclockid(thread, &clock) == 0 ? clock_ns(clock) : 0;
}

#endif
