/* The prefetch queues of evacuation and marking: what is being fetched before it is
 * scanned. `meson configure -Dprefetch_queue=false` builds the loops without them, so that
 * bench/ablation measures what they are worth; a test of an option would cost the loops as much as
 * they gain. */
#ifndef SPGC_GC_TRACE_PREFETCH_QUEUE_H
#define SPGC_GC_TRACE_PREFETCH_QUEUE_H

enum {
  SPGC_PREFETCH_QUEUE_SLOTS = 16, /* references to objects that are to be copied */
  SPGC_MARK_PREFETCH_SLOTS = 16,  /* objects that are to be scanned for marks */
};

#ifdef SPGC_WITHOUT_PREFETCH_QUEUE
enum { SPGC_HAS_PREFETCH_QUEUE = 0 };
#else
enum { SPGC_HAS_PREFETCH_QUEUE = 1 };
#endif

#endif
