/* How long stops and pauses take. */
#ifndef SPGC_GC_STATE_STOPS_H
#define SPGC_GC_STATE_STOPS_H

#include "spgc/heap.h"

/* The others are in spgc/histogram.h. */
void spgc_histogram_add(struct spgc_histogram *histogram, uint64_t ns);

/* ---- Stops, under SPGC_LOCK_WORLD ---- */

struct spgc_stop_times {
  uint64_t asked_ns, stopped_ns, resumed_ns;
  uint64_t last_thread; /* to come, or 0 */
};

void spgc_stops_begin(void);
void spgc_stops_count(const struct spgc_stop_times *stop);
void spgc_stops_read(struct spgc_statistics *statistics);

/* ---- Utilisation ----
 *
 * Minimum mutator utilisation: of all windows of one length, the least share of time in which the
 * program runs (Cheng and Blelloch, "A Parallel, Real-Time Garbage Collector").
 *
 * A window with the most stopped time can be moved, without losing any, until it ends with a stop.
 * So it suffices to look at the window before the end of each. A circular buffer has the stops in
 * it. A window may begin before the heap was started.
 *
 *        |<------------- window ------------->|
 *   [##]     [#######]     [##]   [#]     [###]
 *            |  inside: a part of the first, and all others
 *
 * A full buffer joins each stop with its neighbour. Then the result may be too low by the gaps of
 * the joined stop in which a window begins, and is never too high. */

enum { SPGC_UTILISATION_STOPS = 512 };

/* One or several, with the gaps between them. */
struct spgc_utilisation_stop {
  uint64_t begin_ns, end_ns;
  uint64_t stopped_ns; /* without gaps */
};

struct spgc_utilisation {
  uint64_t window_ns;
  uint64_t most_ns;
  uint64_t sum_ns; /* in the buffer */
  uint32_t first;
  uint32_t count;
  struct spgc_utilisation_stop stops[SPGC_UTILISATION_STOPS];
};

void spgc_utilisation_begin(struct spgc_utilisation *utilisation, uint64_t window_ns);

/* In order, without overlaps. */
void spgc_utilisation_add(struct spgc_utilisation *utilisation, uint64_t begin_ns, uint64_t end_ns);

/* From 0 to 1. */
double spgc_utilisation_least(const struct spgc_utilisation *utilisation);

#endif
