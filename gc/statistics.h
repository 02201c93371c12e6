#ifndef SPGC_GC_STATISTICS_H
#define SPGC_GC_STATISTICS_H

#include "spgc/heap.h"

/* Reads all statistics. The world is locked, and not stopped. */
void spgc_statistics_take(struct spgc_statistics *statistics);

#endif
