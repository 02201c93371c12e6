#include "gc/plan/pause.h"

#include "support/clock.h"

void spgc_pause_begin(struct spgc_pause *pause, uint64_t number, struct spgc_stopped_world world) {
  uint64_t now = spgc_clock_ns();
  *pause = (struct spgc_pause){.number = number,
                               .stop_ns = world.stopped_ns - world.asked_ns,
                               .begun_ns = now,
                               .since_ns = now,
                               .part = SPGC_PAUSE_HOLD};
  pause->part_ns[SPGC_PAUSE_STOP] = pause->stop_ns;
}

void spgc_pause_enter(struct spgc_pause *pause, enum spgc_pause_part part) {
  uint64_t now = spgc_clock_ns();
  pause->part_ns[pause->part] += now - pause->since_ns;
  SPGC_TELL(pause_part, spgc_pause_part_event, .number = pause->number, .part = pause->part,
            .begin_ns = pause->since_ns, .end_ns = now);
  pause->since_ns = now;
  pause->part = part;
}

void spgc_pause_transfer(struct spgc_pause *pause, enum spgc_pause_part from,
                         enum spgc_pause_part to, uint64_t ns) {
  pause->part_ns[from] -= ns;
  pause->part_ns[to] += ns;
}

uint64_t spgc_pause_work_ns(const struct spgc_pause *pause) {
  return spgc_clock_ns() - pause->begun_ns - pause->part_ns[SPGC_PAUSE_HOLD] -
         pause->part_ns[SPGC_PAUSE_VERIFY];
}

void spgc_pause_end(struct spgc_pause *pause) {
  spgc_pause_enter(pause, pause->part);
}
