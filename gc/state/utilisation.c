#include "gc/state/utilisation.h"

static struct spgc_utilisation_stop *stop_at(struct spgc_utilisation *utilisation, uint32_t i) {
  return &utilisation->stops[(utilisation->first + i) % SPGC_UTILISATION_STOPS];
}

void spgc_utilisation_begin(struct spgc_utilisation *utilisation, uint64_t window_ns) {
  utilisation->window_ns = window_ns;
  utilisation->most_ns = utilisation->sum_ns = 0;
  utilisation->first = utilisation->count = 0;
}

static void join_neighbours(struct spgc_utilisation *utilisation) {
  for (uint32_t i = 0; i < SPGC_UTILISATION_STOPS / 2; i++) {
    const struct spgc_utilisation_stop a = *stop_at(utilisation, 2 * i);
    const struct spgc_utilisation_stop b = *stop_at(utilisation, 2 * i + 1);
    *stop_at(utilisation, i) = (struct spgc_utilisation_stop){
        .begin_ns = a.begin_ns, .end_ns = b.end_ns, .stopped_ns = a.stopped_ns + b.stopped_ns};
  }
  utilisation->count = SPGC_UTILISATION_STOPS / 2;
}

static void drop_before(struct spgc_utilisation *utilisation, uint64_t ns) {
  while (utilisation->count != 0 && stop_at(utilisation, 0)->end_ns <= ns) {
    utilisation->sum_ns -= stop_at(utilisation, 0)->stopped_ns;
    utilisation->first = (utilisation->first + 1) % SPGC_UTILISATION_STOPS;
    utilisation->count--;
  }
}

/* The least of a stop's time that must be before `ns`. */
static uint64_t stopped_before(const struct spgc_utilisation_stop *stop, uint64_t ns) {
  uint64_t after = stop->end_ns - ns;
  return stop->begin_ns < ns && after < stop->stopped_ns ? stop->stopped_ns - after : 0;
}

void spgc_utilisation_add(struct spgc_utilisation *utilisation, uint64_t begin_ns,
                          uint64_t end_ns) {
  uint64_t window_ns = utilisation->window_ns;
  uint64_t window_begin = end_ns > window_ns ? end_ns - window_ns : 0;
  drop_before(utilisation, window_begin);
  if (utilisation->count == SPGC_UTILISATION_STOPS)
    join_neighbours(utilisation);
  *stop_at(utilisation, utilisation->count++) =
      (struct spgc_utilisation_stop){begin_ns, end_ns, end_ns - begin_ns};
  utilisation->sum_ns += end_ns - begin_ns;
  uint64_t inside_ns = utilisation->sum_ns - stopped_before(stop_at(utilisation, 0), window_begin);
  if (inside_ns > utilisation->most_ns)
    utilisation->most_ns = inside_ns;
}

double spgc_utilisation_least(const struct spgc_utilisation *utilisation) {
  return 1 - (double)utilisation->most_ns / (double)utilisation->window_ns;
}
