/* Exponential backoff: after 1, 2, 3, ... failures in a row, 1, 2, 4, 8, ... opportunities pass
 * before the next try. So at most one more is waited for than the failures in a row have skipped.
 * Delays are not random, because there is no competitor.
 *
 * Source: the binary backoff of Metcalfe and Boggs, "Ethernet: distributed packet switching for
 * local computer networks", CACM 19(7), 1976, which is truncated. */
#ifndef SPGC_SUPPORT_BACKOFF_H
#define SPGC_SUPPORT_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

/* All 0 at first. */
struct spgc_backoff {
  uint64_t delay;   /* the last failure's, or 0 */
  uint64_t waiting; /* opportunities left to skip */
};

static inline bool spgc_backoff_is_waiting(const struct spgc_backoff *backoff) {
  return backoff->waiting != 0;
}

/* Skips an opportunity. */
static inline void spgc_backoff_pass(struct spgc_backoff *backoff) {
  backoff->waiting -= backoff->waiting != 0;
}

/* Whether this opportunity is skipped. */
static inline bool spgc_backoff_skips(struct spgc_backoff *backoff) {
  bool is_waiting = spgc_backoff_is_waiting(backoff);
  spgc_backoff_pass(backoff);
  return is_waiting;
}

static inline void spgc_backoff_fail(struct spgc_backoff *backoff) {
  backoff->delay = backoff->delay == 0 ? 1 : 2 * backoff->delay;
  backoff->waiting = backoff->delay;
}

/* Ends the row of failures. Waiting opportunities are still skipped. */
static inline void spgc_backoff_succeed(struct spgc_backoff *backoff) {
  backoff->delay = 0;
}

#endif
