/* How long a collection and each of its parts take.
 *
 *   asked ---- stopped ------------------------------------------------------ end
 *        STOP          HOLD | PREPARE | PROMOTE | ROOTS | CARDS | COPY | ... (spgc_pause_enter)
 *
 *   sum of the parts == end - asked
 *   pause == end - stopped; it does not contain STOP
 *
 * A second collection in the same stop has its own pause. Listeners hear when a part ends
 * (spgc/events.h). */
#ifndef SPGC_GC_PLAN_PAUSE_H
#define SPGC_GC_PLAN_PAUSE_H

#include <stddef.h>

#include "gc/events/events.h"
#include "gc/mutator/world.h"
#include "spgc/heap.h"
#include "support/clock.h"

struct spgc_pause {
  uint64_t number;
  uint64_t stop_ns;
  uint64_t begun_ns;          /* by CLOCK_MONOTONIC */
  uint64_t since_ns;          /* when `part` was entered */
  uint64_t work_begun_cpu_ns; /* the collecting thread's processor time */
  enum spgc_pause_part part;
  uint64_t part_ns[SPGC_PAUSE_PART_PLACES];
};

static inline void spgc_pause_begin(struct spgc_pause *pause, uint64_t number,
                                    struct spgc_stopped_world world) {
  uint64_t now = spgc_clock_ns();
  *pause = (struct spgc_pause){.number = number,
                               .stop_ns = world.stopped_ns - world.asked_ns,
                               .begun_ns = now,
                               .since_ns = now,
                               .part = SPGC_PAUSE_HOLD};
  pause->part_ns[SPGC_PAUSE_STOP] = pause->stop_ns;
}

static inline void spgc_pause_enter(struct spgc_pause *pause, enum spgc_pause_part part) {
  uint64_t now = spgc_clock_ns();
  pause->part_ns[pause->part] += now - pause->since_ns;
  SPGC_TELL(pause_part, spgc_pause_part_event, .number = pause->number, .part = pause->part,
            .begin_ns = pause->since_ns, .end_ns = now);
  pause->since_ns = now;
  pause->part = part;
}

/* After waiting and verification; by spgc_clock_ns. */
static inline uint64_t spgc_pause_work_begun_ns(const struct spgc_pause *pause) {
  return pause->begun_ns + pause->part_ns[SPGC_PAUSE_HOLD] + pause->part_ns[SPGC_PAUSE_VERIFY];
}

static inline void spgc_pause_begin_work(struct spgc_pause *pause) {
  spgc_pause_enter(pause, SPGC_PAUSE_PREPARE);
  pause->work_begun_cpu_ns = spgc_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

/* Elapsed time would make the nursery's size depend on other load. */
static inline uint64_t spgc_pause_work_cpu_ns(const struct spgc_pause *pause) {
  return spgc_clock_read(CLOCK_THREAD_CPUTIME_ID) - pause->work_begun_cpu_ns;
}

#endif
