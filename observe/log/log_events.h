/* The log's lines of events: one for each collection, and with log=all one for each event that no
 * line of a collection tells. They are made from what spgc/events.h gives every listener.
 * docs/tuning.md explains them. */
#ifndef SPGC_OBSERVE_LOG_LOG_EVENTS_H
#define SPGC_OBSERVE_LOG_LOG_EVENTS_H

#include "spgc/heap.h"

/* Listens from now on to the events that are told at this level. The world is locked. */
void spgc_log_events_begin(enum spgc_log_level level);

/* Listens no longer. The world is locked, the heap about to stop, and its threads have ended. */
void spgc_log_events_end(void);

#endif
