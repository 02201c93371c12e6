/* One line for each collection, and with log=all for each other event, from the events that any
 * listener gets (spgc/events.h). docs/tuning.md explains them. */
#ifndef SPGC_OBSERVE_LOG_LOG_EVENTS_H
#define SPGC_OBSERVE_LOG_LOG_EVENTS_H

#include "spgc/events.h"

/* With log=gc and more; with log=all. */
extern struct spgc_listener spgc_log_of_collections, spgc_log_of_others;

#endif
