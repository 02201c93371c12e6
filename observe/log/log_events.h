/* The log's lines of events: one for each collection, and with log=all one for each event that no
 * line of a collection tells. They are made from what spgc/events.h gives every listener.
 * docs/tuning.md explains them. */
#ifndef SPGC_OBSERVE_LOG_LOG_EVENTS_H
#define SPGC_OBSERVE_LOG_LOG_EVENTS_H

#include "spgc/events.h"

/* Listen while the heap is started with log=gc or more, and with log=all. */
extern struct spgc_listener spgc_log_of_collections, spgc_log_of_others;

#endif
