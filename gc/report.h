/* What is told of a collection: in the statistics, and in the log. */
#ifndef SPGC_GC_REPORT_H
#define SPGC_GC_REPORT_H

#include "gc/collection.h"

/* Ends the pause. */
void spgc_report(struct collection *collection);

#endif
