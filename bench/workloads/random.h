/* xorshift32 from a fixed seed, the same in every language. */
#ifndef BENCH_WORKLOADS_RANDOM_H
#define BENCH_WORKLOADS_RANDOM_H

#include <stdint.h>

#define RANDOM_SEED UINT32_C(2463534242)

static inline uint32_t random_after(uint32_t x) {
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x;
}

#endif
