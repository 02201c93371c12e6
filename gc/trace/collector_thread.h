/* Whether a thread is one of the collector's own. */
#ifndef SPGC_GC_TRACE_COLLECTOR_THREAD_H
#define SPGC_GC_TRACE_COLLECTOR_THREAD_H

#include <stdbool.h>

/* Set by each thread of the worker pool and of the cycle, when it begins. */
extern _Thread_local bool spgc_is_collector_thread __attribute__((tls_model("initial-exec")));

#endif
