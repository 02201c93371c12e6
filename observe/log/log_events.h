/* The log's lines of events: one for each collection, and with log=all one for each event that
 * those lines do not cover. They are made from what spgc/events.h gives every listener.
 * docs/tuning.md explains them. */
#ifndef SPGC_OBSERVE_LOG_LOG_EVENTS_H
#define SPGC_OBSERVE_LOG_LOG_EVENTS_H

#include "spgc/events.h"

/* The first listens with log=gc and more, the second with log=all. */
extern struct spgc_listener spgc_log_of_collections, spgc_log_of_others;

#endif
