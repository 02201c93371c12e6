#include "gc/state/stops.h"

#include <stddef.h>

#include "support/fatal.h"

/* A power of two has 1 << PARTS_SHIFT buckets, as have the times below 1 << FIRST_SHIFT. */
enum {
  PARTS_SHIFT = 3,
  PARTS = 1 << PARTS_SHIFT,
  FIRST_SHIFT = 10,
  LINEAR_SHIFT = FIRST_SHIFT - PARTS_SHIFT,
};

static uint32_t bucket_of(uint64_t ns) {
  if (ns >> FIRST_SHIFT == 0)
    return (uint32_t)(ns >> LINEAR_SHIFT);
  uint32_t power = 63 - (uint32_t)__builtin_clzll(ns);
  uint32_t part = (uint32_t)(ns >> (power - PARTS_SHIFT)) & (PARTS - 1);
  uint32_t bucket = PARTS * (1 + power - FIRST_SHIFT) + part;
  return bucket < SPGC_HISTOGRAM_BUCKETS ? bucket : SPGC_HISTOGRAM_BUCKETS - 1;
}

uint64_t spgc_histogram_bound(uint32_t bucket) {
  if (bucket >= SPGC_HISTOGRAM_BUCKETS)
    return UINT64_MAX;
  if (bucket < PARTS)
    return (uint64_t)bucket << LINEAR_SHIFT;
  return (uint64_t)(PARTS + bucket % PARTS) << (bucket / PARTS - 1 + LINEAR_SHIFT);
}

void spgc_histogram_add(struct spgc_histogram *histogram, uint64_t ns) {
  histogram->count++;
  histogram->sum_ns += ns;
  if (ns > histogram->longest_ns)
    histogram->longest_ns = ns;
  histogram->buckets[bucket_of(ns)]++;
}

static uint64_t rank_of(uint64_t count, double percent) {
  double exact = (double)count * percent / 100;
  if (!(exact > 1))
    return 1;
  if (exact >= (double)count)
    return count;
  uint64_t whole = (uint64_t)exact;
  return (double)whole < exact ? whole + 1 : whole;
}

uint64_t spgc_histogram_percentile(const struct spgc_histogram *histogram, double percent) {
  spgc_require(histogram != NULL, "spgc_histogram_percentile: no histogram is given");
  uint64_t left = rank_of(histogram->count, percent);
  if (left >= histogram->count)
    return histogram->longest_ns;
  uint32_t bucket = 0;
  while (bucket < SPGC_HISTOGRAM_BUCKETS - 1 && left > histogram->buckets[bucket])
    left -= histogram->buckets[bucket++];
  uint64_t last = spgc_histogram_bound(bucket + 1) - 1;
  return last < histogram->longest_ns ? last : histogram->longest_ns;
}
