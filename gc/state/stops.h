/* Under SPGC_LOCK_WORLD. */
#ifndef SPGC_GC_STATE_STOPS_H
#define SPGC_GC_STATE_STOPS_H

#include "spgc/heap.h"

struct spgc_stop_times {
  uint64_t asked_ns, stopped_ns, resumed_ns;
  uint64_t last_thread; /* to come, or 0 */
};

void spgc_stops_begin(void);
void spgc_stops_count(const struct spgc_stop_times *stop);
void spgc_stops_read(struct spgc_statistics *statistics);

#endif
