#ifndef SPGC_GC_STATISTICS_H
#define SPGC_GC_STATISTICS_H

/* The summary at the end of the log (docs/tuning.md). Called after the heap's start, with the world
 * locked. */
void spgc_summary_begin(void);

/* Acts once, if the log's level requires it. The world is locked, and not stopped. */
void spgc_summary_end(void);

#endif
