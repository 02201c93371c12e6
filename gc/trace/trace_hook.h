/* A trace hook is called for every object as it is reached. Ephemerons learn in this way that their
 * keys are alive.
 *
 * It is set only while the world is stopped and one thread collects.
 */
#ifndef SPGC_GC_TRACE_TRACE_HOOK_H
#define SPGC_GC_TRACE_TRACE_HOOK_H

#include "spgc/ref.h"

struct spgc_trace_hook {
  /* `object` is the address before the collection. The function must not visit slots. */
  void (*reached)(void *context, struct spgc_ref object);
  void *context;
};

#endif
