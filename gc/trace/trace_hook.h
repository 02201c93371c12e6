/* A watch is told of every object as it is reached: how ephemerons learn that their keys live.
 *
 * Only set while one thread collects and the world is stopped.
 */
#ifndef SPGC_GC_TRACE_TRACE_HOOK_H
#define SPGC_GC_TRACE_TRACE_HOOK_H

#include "spgc/ref.h"

struct spgc_trace_hook {
  void (*reached)(
      void *context,
      struct spgc_ref object); /* at its address before the collection; visits no slot */
  void *context;
};

#endif
