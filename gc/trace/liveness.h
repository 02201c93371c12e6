/* What weak processing sees of a collection.
 *
 * A collection decides at most twice: after the evacuation, condemned objects that were not reached
 * are dead, and no others; after a final mark, old ones without a mark. */
#ifndef SPGC_GC_TRACE_LIVENESS_H
#define SPGC_GC_TRACE_LIVENESS_H

#include <stdbool.h>

#include "heap/heap.h"

/* Called for every object reached, so that ephemerons learn that their keys are alive, while one
 * thread collects. */
struct spgc_trace_hook {
  /* `object` is the address before the collection. It must not visit slots. */
  void (*reached)(void *context, struct spgc_ref object);
  void *context;
};

struct spgc_liveness {
  struct spgc_heap *heap;
  bool all;         /* objects that were old before may also be dead */
  bool needs_roots; /* side tables' old objects must be reached too */
  void *tracer;     /* an evacuation or a marking */

  /* Weak elements that refer to condemned objects; NULL for a marking: any element's object may be
   * dead. */
  const struct spgc_recorded *weak_slots;

  /* Null for a dead object. A word outside the heap is unchanged. */
  struct spgc_ref (*address)(const void *tracer, struct spgc_ref object);

  /* `drain` reaches its children. */
  void (*keep_alive)(void *tracer, struct spgc_slot slot);
  void (*drain)(void *tracer);

  /* NULL removes it. */
  void (*set_hook)(void *tracer, const struct spgc_trace_hook *hook);
};

static inline bool spgc_is_alive(const struct spgc_liveness *liveness, struct spgc_ref object) {
  return !spgc_ref_is_null(liveness->address(liveness->tracer, object));
}

#endif
