#include "gc/pause.h"

#include <inttypes.h>
#include <stdio.h>

#include "gc/state/histogram.h"
#include "gc/state/log.h"
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

static void raise_to(uint64_t *most, uint64_t ns) {
  if (ns > *most)
    *most = ns;
}

uint64_t spgc_pause_end(struct spgc_pause *pause, enum spgc_outcome outcome,
                        struct spgc_statistics *statistics) {
  spgc_pause_enter(pause, pause->part);
  uint64_t ns = pause->since_ns - pause->begun_ns;
  statistics->total_pause_ns += ns;
  raise_to(&statistics->longest_pause_ns, ns);
  spgc_histogram_add(&statistics->pauses, ns);
  if (outcome == SPGC_COLLECTED_MINOR)
    raise_to(&statistics->longest_minor_pause_ns, ns);
  if (outcome == SPGC_COLLECTED_FINAL_MARK)
    raise_to(&statistics->longest_final_mark_ns, ns);
  return ns;
}

void spgc_pause_describe(const struct spgc_pause *pause, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int part = 0; part < SPGC_PAUSE_PARTS; part++) {
    if (pause->part_ns[part] < 1000)
      continue;
    int length = snprintf(text + used, size - used, "%s%s " SPGC_LOG_DECIMAL, used == 0 ? "" : ", ",
                          spgc_pause_part_name((enum spgc_pause_part)part),
                          SPGC_LOG_MS(pause->part_ns[part]));
    if (length < 0 || (size_t)length >= size - used)
      return;
    used += (size_t)length;
  }
}
