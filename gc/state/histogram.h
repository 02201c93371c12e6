/* Counting times in the histograms of spgc/histogram.h. */
#ifndef SPGC_GC_STATE_HISTOGRAM_H
#define SPGC_GC_STATE_HISTOGRAM_H

#include "spgc/histogram.h"

/* Counts a time. */
void spgc_histogram_add(struct spgc_histogram *histogram, uint64_t ns);

#endif
