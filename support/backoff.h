/* Exponential backoff: after a failure some opportunities pass before the next try; after each
 * further failure in a row, about twice as many.
 *
 *   delay after the first failure in a row   first
 *   delay after each further one             2 last + increment   while last < most
 *                                            most                 otherwise
 *
 * The last doubling may exceed `most` once. Nothing is random: there is no competitor.
 *
 * Source: the truncated binary backoff of Metcalfe and Boggs, "Ethernet: distributed packet
 * switching for local computer networks", CACM 19(7), 1976. */
#ifndef SPGC_SUPPORT_BACKOFF_H
#define SPGC_SUPPORT_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

struct spgc_backoff {
  uint32_t first, increment, most; /* constant */
  uint32_t delay;                  /* after the next failure */
  uint32_t waiting;                /* opportunities left to skip */
};

static inline struct spgc_backoff spgc_backoff_create(uint32_t first, uint32_t increment,
                                                      uint32_t most) {
  return (struct spgc_backoff){first, increment, most, first, 0};
}

static inline bool spgc_backoff_is_waiting(const struct spgc_backoff *backoff) {
  return backoff->waiting != 0;
}

/* Skips an opportunity. */
static inline void spgc_backoff_pass(struct spgc_backoff *backoff) {
  backoff->waiting -= backoff->waiting != 0;
}

static inline void spgc_backoff_fail(struct spgc_backoff *backoff) {
  uint32_t delay = backoff->delay;
  backoff->waiting = delay;
  backoff->delay = delay < backoff->most ? 2 * delay + backoff->increment : backoff->most;
}

/* The next failure is the first in a row. Opportunities that wait are still skipped. */
static inline void spgc_backoff_succeed(struct spgc_backoff *backoff) {
  backoff->delay = backoff->first;
}

#endif
