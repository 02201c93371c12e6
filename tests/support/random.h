/* Repeatable: SPGC_TEST_SEED or the clock is the seed, which is printed. */
#ifndef SPGC_TESTS_RANDOM_H
#define SPGC_TESTS_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct random {
  uint64_t state; /* never 0 */
};

static inline struct random random_start(const char *test) {
  const char *given = getenv("SPGC_TEST_SEED");
  uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
  printf("%s: SPGC_TEST_SEED=%llu\n", test, (unsigned long long)seed);
  fflush(stdout);
  return (struct random){seed * 2 + 1};
}

/* xorshift64* (https://doi.org/10.1145/2845077). */
static inline uint64_t random_next(struct random *random) {
  random->state ^= random->state >> 12;
  random->state ^= random->state << 25;
  random->state ^= random->state >> 27;
  return random->state * UINT64_C(2685821657736338717);
}

static inline uint64_t random_below(struct random *random, uint64_t limit) {
  return (random_next(random) >> 11) % limit;
}

#endif
