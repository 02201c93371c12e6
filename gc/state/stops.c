#include "gc/state/stops.h"

#include "gc/state/histogram.h"
#include "gc/state/utilisation.h"

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

/* A stop may be requested before another ends. Overlaps count once. */
static uint64_t begin_of(const struct spgc_stop_times *stop) {
  return stop->asked_ns > stops.last_ns ? stop->asked_ns : stops.last_ns;
}

void spgc_stops_count(const struct spgc_stop_times *stop) {
  uint64_t begin_ns = begin_of(stop), longest_ns = stops.arrivals.longest_ns;
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
