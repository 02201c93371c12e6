/* Reports a collection in the statistics, and to the listeners. The log is one of them. */
#ifndef SPGC_GC_PLAN_REPORT_H
#define SPGC_GC_PLAN_REPORT_H

#include "gc/plan/collection.h"

/* Ends the pause, and reports the collection. */
void spgc_report(struct collection *collection);

#endif
