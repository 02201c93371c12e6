/* What stops of the world took, for the statistics: how long the threads took to come to
 * safepoints, and how long they stood. Each stop counts once, whatever it was made for: a
 * collection, or several, or a fork. All functions are called under SPGC_LOCK_WORLD. */
#ifndef SPGC_GC_STATE_STOPS_H
#define SPGC_GC_STATE_STOPS_H

#include "spgc/heap.h"

/* A stop that ends. */
struct spgc_stop_times {
  uint64_t asked_ns, stopped_ns, resumed_ns;
  uint64_t last_thread; /* the number of the thread that came last; 0: none had to come */
};

/* Begins to count. */
void spgc_stops_begin(void);

void spgc_stops_count(const struct spgc_stop_times *stop);

/* Writes the fields that are about stops. */
void spgc_stops_read(struct spgc_statistics *statistics);

#endif
