#include "gc/state/stops.h"

#include <stddef.h>

#include "support/fatal.h"
#include "support/min_max.h"

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

static struct spgc_utilisation_stop *stop_at(struct spgc_utilisation *utilisation, uint32_t i) {
  return &utilisation->stops[(utilisation->first + i) % SPGC_UTILISATION_STOPS];
}

void spgc_utilisation_begin(struct spgc_utilisation *utilisation, uint64_t window_ns) {
  utilisation->window_ns = window_ns;
  utilisation->most_ns = utilisation->sum_ns = 0;
  utilisation->first = utilisation->count = 0;
}

static void join_neighbours(struct spgc_utilisation *utilisation) {
  for (uint32_t i = 0; i < SPGC_UTILISATION_STOPS / 2; i++) {
    const struct spgc_utilisation_stop a = *stop_at(utilisation, 2 * i);
    const struct spgc_utilisation_stop b = *stop_at(utilisation, 2 * i + 1);
    *stop_at(utilisation, i) = (struct spgc_utilisation_stop){
        .begin_ns = a.begin_ns, .end_ns = b.end_ns, .stopped_ns = a.stopped_ns + b.stopped_ns};
  }
  utilisation->count = SPGC_UTILISATION_STOPS / 2;
}

void spgc_utilisation_add(struct spgc_utilisation *utilisation, uint64_t begin_ns,
                          uint64_t end_ns) {
  uint64_t window_ns = utilisation->window_ns;
  uint64_t window_begin = end_ns > window_ns ? end_ns - window_ns : 0;
  for (; utilisation->count != 0 && stop_at(utilisation, 0)->end_ns <= window_begin;
       utilisation->count--) {
    utilisation->sum_ns -= stop_at(utilisation, 0)->stopped_ns;
    utilisation->first = (utilisation->first + 1) % SPGC_UTILISATION_STOPS;
  }
  if (utilisation->count == SPGC_UTILISATION_STOPS)
    join_neighbours(utilisation);
  *stop_at(utilisation, utilisation->count++) =
      (struct spgc_utilisation_stop){begin_ns, end_ns, end_ns - begin_ns};
  utilisation->sum_ns += end_ns - begin_ns;
  const struct spgc_utilisation_stop *oldest = stop_at(utilisation, 0);
  uint64_t after = oldest->end_ns - window_begin, inside_ns = utilisation->sum_ns;
  if (oldest->begin_ns < window_begin && after < oldest->stopped_ns)
    inside_ns -= oldest->stopped_ns - after; /* the least that must be before the window */
  if (inside_ns > utilisation->most_ns)
    utilisation->most_ns = inside_ns;
}

double spgc_utilisation_least(const struct spgc_utilisation *utilisation) {
  return 1 - (double)utilisation->most_ns / (double)utilisation->window_ns;
}

enum { SHORT_WINDOW_NS = 10000000, LONG_WINDOW_NS = 100000000 };

static struct {
  struct spgc_histogram arrivals; /* until the last thread's stop */
  uint64_t slowest_thread;        /* in the longest */
  uint64_t stopped_ns;            /* from requests until threads continued */
  uint64_t last_ns;               /* when threads last continued */
  struct spgc_utilisation in_short_windows, in_long_windows;
} stops;

void spgc_stops_begin(void) {
  stops.arrivals = (struct spgc_histogram){0};
  stops.slowest_thread = stops.stopped_ns = stops.last_ns = 0;
  spgc_utilisation_begin(&stops.in_short_windows, SHORT_WINDOW_NS);
  spgc_utilisation_begin(&stops.in_long_windows, LONG_WINDOW_NS);
}

void spgc_stops_count(const struct spgc_stop_times *stop) {
  /* A stop may be requested before another ends. Overlaps count once. */
  uint64_t begin_ns = spgc_max(stop->asked_ns, stops.last_ns),
           longest_ns = stops.arrivals.longest_ns;
  spgc_histogram_add(&stops.arrivals, stop->stopped_ns - stop->asked_ns);
  if (stops.arrivals.longest_ns > longest_ns)
    stops.slowest_thread = stop->last_thread;
  stops.stopped_ns += stop->resumed_ns - begin_ns;
  stops.last_ns = stop->resumed_ns;
  spgc_utilisation_add(&stops.in_short_windows, begin_ns, stop->resumed_ns);
  spgc_utilisation_add(&stops.in_long_windows, begin_ns, stop->resumed_ns);
}

void spgc_stops_read(struct spgc_statistics *statistics) {
  statistics->stops = stops.arrivals;
  statistics->longest_stop_ns = stops.arrivals.longest_ns;
  statistics->slowest_thread = stops.slowest_thread;
  statistics->stopped_ns = stops.stopped_ns;
  statistics->utilisation_10ms = spgc_utilisation_least(&stops.in_short_windows);
  statistics->utilisation_100ms = spgc_utilisation_least(&stops.in_long_windows);
}
