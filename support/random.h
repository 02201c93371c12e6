/* splitmix64, repeatable from its seed. */
#ifndef SPGC_SUPPORT_RANDOM_H
#define SPGC_SUPPORT_RANDOM_H

#include <stdint.h>

struct spgc_random {
  uint64_t state;
};

static inline uint64_t spgc_random_next(struct spgc_random *random) {
  uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

#endif
