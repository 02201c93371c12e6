/* The summary at the end of the log: when the heap is stopped, or when the process exits with the
 * heap started. docs/tuning.md explains its lines. */
#ifndef SPGC_GC_SUMMARY_H
#define SPGC_GC_SUMMARY_H

/* Called with the world locked, when the heap has been started. */
void spgc_summary_begin(void);

/* Logs the summary, if the level of the log asks for it and it was not logged yet. The world is
 * locked, and not stopped. */
void spgc_summary_end(void);

#endif
