/* The summary at the end of the log: when the heap is stopped, or the process exits with the heap
 * started. docs/tuning.md explains its lines. */
#ifndef SPGC_GC_SUMMARY_H
#define SPGC_GC_SUMMARY_H

/* The heap was started. With the world locked. */
void spgc_summary_begin(void);

/* Logs the summary once, if the level of the log requires it. The world is locked, and not
 * stopped. */
void spgc_summary_end(void);

#endif
