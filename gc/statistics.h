#ifndef SPGC_GC_STATISTICS_H
#define SPGC_GC_STATISTICS_H

/* The summary at the end of the log (docs/tuning.md): when the heap is stopped, or the process
 * exits with the heap started. Called when the heap was started, with the world locked. */
void spgc_summary_begin(void);

/* Logs the summary once, if the level of the log requires it. The world is locked, and not
 * stopped. */
void spgc_summary_end(void);

#endif
