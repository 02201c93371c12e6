#ifndef SPGC_OBSERVE_LOG_LOG_SUMMARY_H
#define SPGC_OBSERVE_LOG_LOG_SUMMARY_H

#include "spgc/heap.h"

void spgc_log_summary(const struct spgc_statistics *statistics);

#endif
