/* The lines of log=all: one for each event that no line of a collection tells. docs/tuning.md
 * explains them. */
#ifndef SPGC_GC_OBSERVE_LOG_EVENTS_H
#define SPGC_GC_OBSERVE_LOG_EVENTS_H

/* Listens from now on, if the level of the log asks for it. The world is locked. */
void spgc_log_events_begin(void);

/* Listens no longer. The world is locked, the heap about to stop, and its threads have ended. */
void spgc_log_events_end(void);

#endif
