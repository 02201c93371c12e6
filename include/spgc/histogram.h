/* Histograms of times. The first eight buckets have 128 ns each. Then each power of two is divided
 * into eight equal ranges, so a range is at most 1/8 of its least time. The last bucket also counts
 * all longer times. */
#ifndef SPGC_HISTOGRAM_H
#define SPGC_HISTOGRAM_H

#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The number of ranges. */
enum { SPGC_HISTOGRAM_BUCKETS = 256 };

/* Equation: count == the sum of the buckets. */
struct spgc_histogram {
  uint64_t count;
  uint64_t sum_ns;
  uint64_t longest_ns;
  uint64_t buckets[SPGC_HISTOGRAM_BUCKETS];
};

/* A bucket's least time in nanoseconds; UINT64_MAX if there is no such bucket. Any thread, any
 * state. */
uint64_t spgc_histogram_bound(uint32_t bucket);

/* The time in nanoseconds that `percent` of 100 times do not exceed. It is the exact percentile
 * (nearest rank), or too high by less than 1/8 or less than 128 ns, unless it is above 2^41 ns (36
 * minutes). 100 gives the longest time exactly; 0 or less the range of the shortest. 0 if nothing
 * was counted. Any thread, any state. */
uint64_t spgc_histogram_percentile(const struct spgc_histogram *histogram, double percent);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
