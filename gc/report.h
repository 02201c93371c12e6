/* Reports a collection in the statistics, and to the listeners. The log is one of them. */
#ifndef SPGC_GC_REPORT_H
#define SPGC_GC_REPORT_H

#include "gc/collection.h"

/* Ends the pause, and reports the collection. */
void spgc_report(struct collection *collection);

#endif
