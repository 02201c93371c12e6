#ifndef SPGC_GC_STATE_HISTOGRAM_H
#define SPGC_GC_STATE_HISTOGRAM_H

#include "spgc/histogram.h"

void spgc_histogram_add(struct spgc_histogram *histogram, uint64_t ns);

#endif
