#include "observe/log/log_summary.h"

#include <stdio.h>

#include "spgc/events.h"
#include "support/log.h"

#define TENTHS_FORMAT "%" PRIu64 ".%" PRIu64
#define TENTHS(number) rounded_tenths(number) / 10, rounded_tenths(number) % 10

/* printf would write the locale's decimal point. */
static uint64_t rounded_tenths(double number) {
  return (uint64_t)(number * 10 + 0.5);
}

static double quotient(double dividend, double divisor) {
  return divisor > 0 ? dividend / divisor : 0;
}

static void log_outcomes(const struct spgc_statistics *statistics) {
  spgc_log("summary: collections: all %" PRIu64 ", minor %" PRIu64 ", final-mark %" PRIu64
           ", partial final-mark %" PRIu64 ", full %" PRIu64 ", in-place full %" PRIu64,
           statistics->collections, statistics->minor_collections,
           statistics->final_marks - statistics->partial_markings, statistics->partial_markings,
           statistics->full_collections - statistics->in_place_collections,
           statistics->in_place_collections);
}

static void log_reasons(const struct spgc_statistics *statistics) {
  char text[512];
  size_t used = 0;
  text[0] = '\0';
  for (int reason = 0; reason < SPGC_STATISTICS_REASONS; reason++)
    if (statistics->reasons[reason] != 0 && used < sizeof text)
      used +=
          (size_t)snprintf(text + used, sizeof text - used, "%s%s %" PRIu64, used == 0 ? "" : ", ",
                           spgc_reason_name((enum spgc_reason)reason), statistics->reasons[reason]);
  spgc_log("summary: reasons: %s", used == 0 ? "none" : text);
}

static void log_times(const char *what, const struct spgc_histogram *times, const char *rest) {
  uint64_t p50_ns = spgc_histogram_percentile(times, 50);
  uint64_t p90_ns = spgc_histogram_percentile(times, 90);
  uint64_t p99_ns = spgc_histogram_percentile(times, 99);
  spgc_log("summary: %s: p50 " SPGC_LOG_DECIMAL " ms, p90 " SPGC_LOG_DECIMAL
           " ms, p99 " SPGC_LOG_DECIMAL " ms, longest " SPGC_LOG_DECIMAL
           " ms, sum " SPGC_LOG_DECIMAL " ms%s",
           what, SPGC_LOG_MS(p50_ns), SPGC_LOG_MS(p90_ns), SPGC_LOG_MS(p99_ns),
           SPGC_LOG_MS(times->longest_ns), SPGC_LOG_MS(times->sum_ns), rest);
}

static void log_stops(const struct spgc_statistics *statistics) {
  char slowest[24] = "none", rest[80];
  if (statistics->slowest_thread != 0)
    snprintf(slowest, sizeof slowest, "%" PRIu64, statistics->slowest_thread);
  snprintf(rest, sizeof rest, ", count %" PRIu64 ", slowest thread %s", statistics->stops.count,
           slowest);
  log_times("stops", &statistics->stops, rest);
}

static void log_utilisation(const struct spgc_statistics *statistics) {
  spgc_log(
      "summary: utilisation: 10 ms " TENTHS_FORMAT "%%, 100 ms " TENTHS_FORMAT
      "%%, all " TENTHS_FORMAT "%% of " SPGC_LOG_DECIMAL " s",
      TENTHS(statistics->utilisation_10ms * 100), TENTHS(statistics->utilisation_100ms * 100),
      TENTHS(100 - quotient((double)statistics->stopped_ns * 100, (double)statistics->elapsed_ns)),
      SPGC_LOG_SECONDS(statistics->elapsed_ns));
}

static void log_memory(const struct spgc_statistics *statistics) {
  double allocated = (double)statistics->allocated_bytes;
  double seconds = (double)statistics->elapsed_ns / 1e9;
  spgc_log("summary: allocated: %" PRIu64 " bytes, " TENTHS_FORMAT " MiB/s",
           statistics->allocated_bytes, TENTHS(quotient(allocated / (1 << 20), seconds)));
  spgc_log("summary: promoted: %" PRIu64 " bytes, " TENTHS_FORMAT "%%", statistics->promoted_bytes,
           TENTHS(quotient((double)statistics->promoted_bytes * 100, allocated)));
  spgc_log("summary: born old: %" PRIu64 " bytes, " TENTHS_FORMAT "%%", statistics->born_old_bytes,
           TENTHS(quotient((double)statistics->born_old_bytes * 100, allocated)));
  spgc_log("summary: heap: peak %" PRIu64 " KiB, final %" PRIu64 " KiB",
           statistics->peak_heap_bytes / 1024, statistics->heap_bytes / 1024);
}

void spgc_log_summary(const struct spgc_statistics *statistics) {
  log_outcomes(statistics);
  log_reasons(statistics);
  log_times("pauses", &statistics->pauses, "");
  log_stops(statistics);
  log_utilisation(statistics);
  log_memory(statistics);
}
