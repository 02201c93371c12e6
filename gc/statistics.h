#ifndef SPGC_GC_STATISTICS_H
#define SPGC_GC_STATISTICS_H

/* The summary at the end of the log (docs/tuning.md), when the heap is stopped, or the process
 * exits with the heap started. After the heap's start, with the world locked. */
void spgc_summary_begin(void);

/* Once, if the log's level requires it. The world is locked, and not stopped. */
void spgc_summary_end(void);

#endif
