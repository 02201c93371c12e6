/* Exponential gaps, for samples that are independent of their objects. Without libm, which the
 * libraries do not link; exact to about 12 digits. */
#ifndef SPGC_SUPPORT_EXPONENTIAL_H
#define SPGC_SUPPORT_EXPONENTIAL_H

#include <stdint.h>

#include "support/random.h"

/* -ln(number / 2^53), for numbers from 1 to 2^53. The mantissa's logarithm is a series: ln m = 2 (s
 * + s^3/3 + s^5/5 + ...) with s = (m - 1) / (m + 1) <= 1/3. */
static inline double spgc_negative_logarithm(uint64_t number) {
  enum { TERMS = 13 };
  const double ln_2 = 0.69314718055994530942;
  int zeros = __builtin_clzll(number);
  double mantissa = (double)(number << zeros) * 0x1p-63;
  double s = (mantissa - 1) / (mantissa + 1), sum = 0;
  for (int i = TERMS - 1; i >= 0; i--)
    sum = sum * s * s + 1.0 / (2 * i + 1);
  return (zeros - 10) * ln_2 - 2 * s * sum;
}

/* The mean must be below 2^58 for the gap to fit 64 bits. */
static inline uint64_t spgc_exponential_gap(struct spgc_random *random, uint64_t mean) {
  uint64_t number = (spgc_random_next(random) >> 11) + 1;
  return (uint64_t)(spgc_negative_logarithm(number) * (double)mean);
}

/* 1 - e^-x, for x >= 0: the probability that a gap is below x times its mean. By doubling a small
 * part of x: 1 - e^-2y = q (2 - q) with q = 1 - e^-y. */
static inline double spgc_exponential_probability(double x) {
  const double most = 50, small = 0x1p-6;
  if (x > most)
    return 1;
  int doublings = 0;
  while (x > small) {
    x /= 2;
    doublings++;
  }
  double q = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6)))));
  while (doublings-- > 0)
    q *= 2 - q;
  return q;
}

#endif
