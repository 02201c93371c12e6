/* Liveness: what weak processing sees of a collection. It asks whether an object is alive, asks for
 * its forwarded address, and keeps more objects alive.
 *
 * A collection decides at most twice. After the evacuation, condemned objects that were not reached
 * are dead, and all others count as alive. After a final mark, old objects without a mark are
 * dead. */
#ifndef SPGC_GC_TRACE_LIVENESS_H
#define SPGC_GC_TRACE_LIVENESS_H

#include <stdbool.h>

#include "heap/heap.h"

/* Called for every object as it is reached: ephemerons thus learn that their keys are alive. Set
 * only while the world is stopped and one thread collects. */
struct spgc_trace_hook {
  /* `object` is the address before the collection. The function must not visit slots. */
  void (*reached)(void *context, struct spgc_ref object);
  void *context;
};

struct spgc_liveness {
  struct spgc_heap *heap;
  bool all;         /* objects that were old before may also be dead */
  bool needs_roots; /* objects that side tables refer to must be reached: old ones may be dead, or
                       are being marked */
  void *tracer;     /* an evacuation or a marking, which decides and answers */

  /* The object's new address, or null if it is dead. A word outside the heap is returned
   * unchanged. */
  struct spgc_ref (*address)(const void *tracer, struct spgc_ref object);
  bool (*is_alive)(const void *tracer, struct spgc_ref object);

  /* Reaches the object that the slot refers to. `drain` reaches its children. */
  void (*keep_alive)(void *tracer, struct spgc_slot slot);
  void (*drain)(void *tracer);

  /* `hook` is called for each object reached from now on. NULL removes it. */
  void (*set_hook)(void *tracer, const struct spgc_trace_hook *hook);
};

#endif
