/* Against sorted times and every window. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "check_main.h"
#include "gc/state/stops.h"
#include "random.h"

START_TEST(ranges_follow_one_another_and_are_an_eighth_of_their_least_time_at_most) {
  ck_assert_uint_eq(spgc_histogram_bound(0), 0);
  ck_assert_uint_eq(spgc_histogram_bound(8), 1024);
  for (uint32_t i = 0; i < SPGC_HISTOGRAM_BUCKETS - 1; i++) {
    uint64_t least = spgc_histogram_bound(i), width = spgc_histogram_bound(i + 1) - least;
    ck_assert_uint_ge(width, 128);
    ck_assert(width == 128 || width <= least / 8);
  }
  ck_assert_uint_gt(spgc_histogram_bound(SPGC_HISTOGRAM_BUCKETS - 1), UINT64_C(1) << 40);
  ck_assert_uint_eq(spgc_histogram_bound(SPGC_HISTOGRAM_BUCKETS), UINT64_MAX);
  ck_assert_uint_eq(spgc_histogram_bound(UINT32_MAX), UINT64_MAX);
}
END_TEST

static uint32_t bucket_that_counts(uint64_t ns) {
  struct spgc_histogram histogram = {0};
  spgc_histogram_add(&histogram, ns);
  ck_assert_uint_eq(histogram.count, 1);
  ck_assert_uint_eq(histogram.sum_ns, ns);
  ck_assert_uint_eq(histogram.longest_ns, ns);
  for (uint32_t i = 0; i < SPGC_HISTOGRAM_BUCKETS; i++)
    if (histogram.buckets[i] == 1)
      return i;
  ck_abort_msg("the time is in no bucket");
}

START_TEST(each_time_is_in_the_bucket_of_its_range) {
  for (uint32_t i = 0; i < SPGC_HISTOGRAM_BUCKETS; i++) {
    ck_assert_uint_eq(bucket_that_counts(spgc_histogram_bound(i)), i);
    ck_assert_uint_eq(bucket_that_counts(spgc_histogram_bound(i + 1) - 1), i);
  }
  ck_assert_uint_eq(bucket_that_counts(UINT64_MAX), SPGC_HISTOGRAM_BUCKETS - 1);
}
END_TEST

static int compare(const void *a, const void *b) {
  uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return first < second ? -1 : first > second;
}

/* Nearest rank. */
static uint64_t exact_percentile(const uint64_t *sorted, uint64_t count, unsigned percent) {
  uint64_t rank = (count * percent + 99) / 100;
  return sorted[rank == 0 ? 0 : rank - 1];
}

static void check_percentiles(struct random *random, uint64_t count) {
  uint64_t *times = malloc(count * sizeof *times);
  struct spgc_histogram histogram = {0};
  for (uint64_t i = 0; i < count; i++) {
    times[i] = random_next(random) >> (23 + random_below(random, 41));
    spgc_histogram_add(&histogram, times[i]);
  }
  qsort(times, count, sizeof *times, compare);
  for (unsigned percent = 0; percent <= 100; percent++) {
    uint64_t exact = exact_percentile(times, count, percent);
    uint64_t told = spgc_histogram_percentile(&histogram, percent);
    if (told < exact || told > exact + (exact / 8 > 127 ? exact / 8 : 127))
      ck_abort_msg("%u of 100 are %" PRIu64 ", not %" PRIu64, percent, exact, told);
  }
  ck_assert_uint_eq(spgc_histogram_percentile(&histogram, 100), times[count - 1]);
  free(times);
}

START_TEST(percentiles_are_an_eighth_too_high_at_most) {
  struct random random = random_start("percentiles");
  for (uint64_t count = 1; count < 300; count++)
    check_percentiles(&random, count);
  check_percentiles(&random, 10000);
}
END_TEST

START_TEST(percentiles_have_ends) {
  struct spgc_histogram histogram = {0};
  ck_assert_uint_eq(spgc_histogram_percentile(&histogram, 50), 0);
  spgc_histogram_add(&histogram, 5000);
  spgc_histogram_add(&histogram, UINT64_MAX);
  ck_assert_uint_eq(spgc_histogram_percentile(&histogram, 50), 5119);
  ck_assert_uint_eq(spgc_histogram_percentile(&histogram, -1), 5119);
  ck_assert_uint_eq(spgc_histogram_percentile(&histogram, 0.0 / 0.0), 5119);
  ck_assert_uint_eq(spgc_histogram_percentile(&histogram, 50.1), UINT64_MAX);
  ck_assert_uint_eq(spgc_histogram_percentile(&histogram, 1e300), UINT64_MAX);
}
END_TEST

enum { SPAN = 6000 };

/* By brute force. */
static unsigned most_stopped(const bool *stopped, unsigned window) {
  unsigned inside = 0, most = 0;
  for (unsigned end = 0; end < SPAN; end++) {
    inside += stopped[end];
    inside -= end >= window && stopped[end - window];
    most = inside > most ? inside : most;
  }
  return most;
}

struct made_stops {
  unsigned longest, longest_gap;
};

static void make_stops(struct random *random, const struct made_stops *made, bool *stopped,
                       struct spgc_utilisation *utilisation) {
  unsigned end = 0;
  for (;;) {
    unsigned begin = end + (unsigned)random_below(random, made->longest_gap + 1);
    unsigned next = begin + 1 + (unsigned)random_below(random, made->longest);
    if (next > SPAN)
      return;
    for (unsigned tick = begin; tick < next; tick++)
      stopped[tick] = true;
    spgc_utilisation_add(utilisation, begin, next);
    end = next;
  }
}

/* It must be exact, or, after neighbours were joined, not too high. Returns the error in ticks. */
static unsigned check_utilisation(struct random *random, const struct made_stops *made,
                                  unsigned window) {
  static struct spgc_utilisation utilisation;
  bool stopped[SPAN] = {false};
  spgc_utilisation_begin(&utilisation, window);
  make_stops(random, made, stopped, &utilisation);
  unsigned most = most_stopped(stopped, window);
  ck_assert_uint_ge(utilisation.most_ns, most);
  ck_assert_uint_le(utilisation.most_ns, window);
  double least = 1 - (double)utilisation.most_ns / window;
  ck_assert(spgc_utilisation_least(&utilisation) == least);
  return (unsigned)utilisation.most_ns - most;
}

START_TEST(utilisation_is_that_of_the_worst_window) {
  static const struct made_stops made[] = {{1, 3}, {10, 40}, {40, 3}, {300, 300}};
  static const unsigned windows[] = {1, 7, 50, 333, 1100};
  struct random random = random_start("utilisation");
  for (int round = 0; round < 20; round++)
    for (size_t m = 0; m < sizeof made / sizeof *made; m++)
      for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
        ck_assert_uint_eq(check_utilisation(&random, &made[m], windows[w]), 0);
}
END_TEST

START_TEST(utilisation_with_too_many_stops_in_a_window_is_never_too_high) {
  const struct made_stops made = {2, 2};
  struct random random = random_start("utilisation of many stops");
  for (int round = 0; round < 20; round++)
    ck_assert_uint_le(check_utilisation(&random, &made, 4000), 4000 / 40);
}
END_TEST

START_TEST(utilisation_without_stops_is_1_and_in_a_long_stop_0) {
  static struct spgc_utilisation utilisation;
  spgc_utilisation_begin(&utilisation, 100);
  ck_assert(spgc_utilisation_least(&utilisation) == 1);
  spgc_utilisation_add(&utilisation, 50, 75);
  ck_assert(spgc_utilisation_least(&utilisation) == 0.75);
  spgc_utilisation_add(&utilisation, 1000, 1200);
  ck_assert(spgc_utilisation_least(&utilisation) == 0);
}
END_TEST

enum { MS = 1000000 };

static struct spgc_statistics count_stops(const struct spgc_stop_times *times, size_t count) {
  struct spgc_statistics statistics;
  spgc_stops_begin();
  for (size_t i = 0; i < count; i++)
    spgc_stops_count(&times[i]);
  spgc_stops_read(&statistics);
  return statistics;
}

START_TEST(stops_are_counted_with_the_thread_that_came_last_in_the_longest) {
  static const struct spgc_stop_times times[] = {
      {1000 * MS, 1001 * MS, 1003 * MS, 7},
      {1020 * MS, 1022 * MS, 1023 * MS, 3},
      {1050 * MS, 1050 * MS, 1050 * MS + 5, 0},
  };
  struct spgc_statistics statistics = count_stops(times, 3);
  ck_assert_uint_eq(statistics.stops.count, 3);
  ck_assert_uint_eq(statistics.stops.sum_ns, 3 * MS);
  ck_assert_uint_eq(statistics.longest_stop_ns, 2 * MS);
  ck_assert_uint_eq(statistics.slowest_thread, 3);
  ck_assert_uint_eq(statistics.stopped_ns, 6 * MS + 5);
  ck_assert(statistics.utilisation_10ms == 1 - 3.0 / 10);
  ck_assert(statistics.utilisation_100ms == 1 - (6.0 * MS + 5) / (100.0 * MS));
  statistics = count_stops(times, 0);
  ck_assert_uint_eq(statistics.stops.count, 0);
  ck_assert_uint_eq(statistics.slowest_thread, 0);
  ck_assert_uint_eq(statistics.stopped_ns, 0);
  ck_assert(statistics.utilisation_10ms == 1);
}
END_TEST

START_TEST(a_stop_that_was_asked_for_within_another_counts_from_its_end) {
  static const struct spgc_stop_times times[] = {
      {1000 * MS, 1001 * MS, 1004 * MS, 1},
      {1002 * MS, 1005 * MS, 1006 * MS, 2},
  };
  struct spgc_statistics statistics = count_stops(times, 2);
  ck_assert_uint_eq(statistics.stopped_ns, 6 * MS);
  ck_assert_uint_eq(statistics.stops.sum_ns, 4 * MS);
  ck_assert(statistics.utilisation_10ms == 1 - 6.0 / 10);
}
END_TEST

/* In the order of ends. A thread may ask before the last stop ended. */
static uint64_t make_times(struct random *random, struct spgc_stop_times *times, size_t count) {
  uint64_t now = 1000, stopped_ns = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t asked = now - random_below(random, 300) + random_below(random, 900);
    uint64_t stopped = (asked > now ? asked : now) + random_below(random, 500);
    uint64_t resumed = stopped + random_below(random, 2000);
    times[i] = (struct spgc_stop_times){asked, stopped, resumed, random_below(random, 5)};
    stopped_ns += resumed - (asked > now || i == 0 ? asked : now);
    now = resumed;
  }
  return stopped_ns;
}

START_TEST(sums_of_stops_are_those_of_a_model) {
  enum { STOPS = 200 };
  struct random random = random_start("stops");
  for (int round = 0; round < 200; round++) {
    struct spgc_stop_times times[STOPS];
    struct spgc_statistics expected = {.stopped_ns = make_times(&random, times, STOPS)};
    for (size_t i = 0; i < STOPS; i++) {
      uint64_t ns = times[i].stopped_ns - times[i].asked_ns;
      expected.stops.sum_ns += ns;
      if (ns > expected.longest_stop_ns) {
        expected.longest_stop_ns = ns;
        expected.slowest_thread = times[i].last_thread;
      }
    }
    struct spgc_statistics statistics = count_stops(times, STOPS);
    ck_assert_uint_eq(statistics.stops.count, STOPS);
    ck_assert_uint_eq(statistics.stops.sum_ns, expected.stops.sum_ns);
    ck_assert_uint_eq(statistics.longest_stop_ns, expected.longest_stop_ns);
    ck_assert_uint_eq(statistics.slowest_thread, expected.slowest_thread);
    ck_assert_uint_eq(statistics.stopped_ns, expected.stopped_ns);
  }
}
END_TEST

CHECK_MAIN("histogram", ranges_follow_one_another_and_are_an_eighth_of_their_least_time_at_most,
           each_time_is_in_the_bucket_of_its_range, percentiles_are_an_eighth_too_high_at_most,
           percentiles_have_ends, utilisation_is_that_of_the_worst_window,
           utilisation_with_too_many_stops_in_a_window_is_never_too_high,
           utilisation_without_stops_is_1_and_in_a_long_stop_0,
           stops_are_counted_with_the_thread_that_came_last_in_the_longest,
           a_stop_that_was_asked_for_within_another_counts_from_its_end,
           sums_of_stops_are_those_of_a_model)
