/* The sizes of the prefetch queues of evacuation and marking, which hold objects while they are
 * fetched. `meson configure -Dprefetch_queue=false` builds the loops without them, so that
 * bench/ablation can measure their worth. An option at run time would cost the loops as much as the
 * queues gain. */
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
