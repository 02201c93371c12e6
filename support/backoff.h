/* Exponential backoff: after a failure some opportunities pass before the next try; after each
 * further failure in a row about twice as many.
 *
 *   delay after the first failure in a row   first
 *   delay after each further one             2 last + increment   while last < most
 *                                            most                 otherwise
 *
 * The last doubling may exceed `most` once. Nothing is random, because there is no competitor.
 *
 * Source: the truncated binary backoff of Metcalfe and Boggs, "Ethernet: distributed packet
 * switching for local computer networks", CACM 19(7), 1976.
 */
#ifndef SPGC_SUPPORT_BACKOFF_H
#define SPGC_SUPPORT_BACKOFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spgc_backoff {
  uint32_t first, increment, most; /* opportunities; constant */
  uint32_t delay;                  /* opportunities to skip after the next failure */
  size_t waiting;                  /* opportunities still to skip, times `scale` */
};

static inline struct spgc_backoff spgc_backoff_create(uint32_t first, uint32_t increment,
                                                      uint32_t most) {
  return (struct spgc_backoff){first, increment, most, first, 0};
}

/* Whether the next opportunity should pass unused. */
static inline bool spgc_backoff_is_waiting(const struct spgc_backoff *backoff) {
  return backoff->waiting != 0;
}

/* An opportunity passed, or several with a total of `amount`. */
static inline void spgc_backoff_pass(struct spgc_backoff *backoff, size_t amount) {
  backoff->waiting -= amount < backoff->waiting ? amount : backoff->waiting;
}

/* A try failed. `scale` is the size of an opportunity: 1 if they are counted. */
static inline void spgc_backoff_fail(struct spgc_backoff *backoff, size_t scale) {
  uint32_t delay = backoff->delay;
  backoff->waiting = delay * scale;
  backoff->delay = delay < backoff->most ? 2 * delay + backoff->increment : backoff->most;
}

/* A try succeeded: the next failure is the first in a row. Opportunities still to be skipped are
 * skipped. */
static inline void spgc_backoff_succeed(struct spgc_backoff *backoff) {
  backoff->delay = backoff->first;
}

/* A try succeeded, and the next opportunity should be used. */
static inline void spgc_backoff_reset(struct spgc_backoff *backoff) {
  backoff->delay = backoff->first;
  backoff->waiting = 0;
}

#endif
