/* Minimum mutator utilisation: of all windows of one length, the least share of time in which the
 * program runs (Cheng and Blelloch, "A Parallel, Real-Time Garbage Collector").
 *
 * The window that has most stopped time can be moved, without losing any of it, until it ends where
 * a stop ends: its end moves on through a stop, or back to one. So it suffices to look at the
 * window before the end of each stop. A circular buffer has the stops that intersect it. A window
 * may begin before the heap was started, when nothing stopped.
 *
 *        |<------------- window ------------->|
 *   [##]     [#######]     [##]   [#]     [###]
 *            |  inside: a part of the first, and all others
 *
 * A full buffer joins each stop with its neighbour. The joined one remembers its stopped time, and
 * not where in it the gap was. So the result is exact until a window has that many stops; beyond,
 * it may be too low by the gaps of the joined stop in which a window begins, and never too high. */
#ifndef SPGC_GC_STATE_UTILISATION_H
#define SPGC_GC_STATE_UTILISATION_H

#include <stdint.h>

enum { SPGC_UTILISATION_STOPS = 512 };

/* A stop, or several with the gaps between them. */
struct spgc_utilisation_stop {
  uint64_t begin_ns, end_ns;
  uint64_t stopped_ns; /* without gaps */
};

struct spgc_utilisation {
  uint64_t window_ns;
  uint64_t most_ns; /* in a window, so far */
  uint64_t sum_ns;  /* stopped time in the buffer */
  uint32_t first;   /* the oldest stop of the buffer */
  uint32_t count;
  struct spgc_utilisation_stop stops[SPGC_UTILISATION_STOPS];
};

void spgc_utilisation_begin(struct spgc_utilisation *utilisation, uint64_t window_ns);

/* Stops come in order, and do not overlap. */
void spgc_utilisation_add(struct spgc_utilisation *utilisation, uint64_t begin_ns, uint64_t end_ns);

/* From 0 to 1. */
double spgc_utilisation_least(const struct spgc_utilisation *utilisation);

#endif
