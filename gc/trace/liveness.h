/* Liveness: the view of a collection that weak processing has. It asks whether an object is alive,
 * asks for its forwarded address, and keeps more objects alive.
 *
 * A collection decides at most twice. After the evacuation, condemned objects that were not reached
 * are dead, and all others count as alive. After a final mark, old objects without a mark are dead.
 */
#ifndef SPGC_GC_TRACE_LIVENESS_H
#define SPGC_GC_TRACE_LIVENESS_H

#include "gc/trace/evacuate.h"
#include "gc/trace/mark.h"

/* Either `evacuation` or `marker` is set. */
struct spgc_liveness {
  struct spgc_heap *heap;
  struct spgc_evacuation *evacuation; /* decides about condemned objects */
  struct spgc_marker *marker;         /* decides about old objects */
  bool all;                           /* objects that were old before may be dead, too */
};

/* The object's address from now on, or null if it is dead. A word outside the heap is returned
 * unchanged. */
static inline struct spgc_ref spgc_forwarded_address(const struct spgc_liveness *liveness,
                                                     struct spgc_ref object) {
  const struct spgc_heap *heap = liveness->heap;
  if (!spgc_heap_contains(heap, object.word))
    return object;
  if (liveness->marker != NULL)
    return spgc_mark_bit_is_set(heap, object) ? object : spgc_ref_null();
  enum spgc_space space = spgc_heap_space(heap, spgc_heap_block_of(heap, object.word));
  if (!spgc_space_is_condemned(space))
    return object;
  uintptr_t header = spgc_object_header(object);
  bool moved = space == SPGC_SPACE_CONDEMNED && spgc_heap_contains(heap, header);
  return (struct spgc_ref){moved ? header : 0};
}

static inline bool spgc_is_alive(const struct spgc_liveness *liveness, struct spgc_ref object) {
  return !spgc_ref_is_null(spgc_forwarded_address(liveness, object));
}

/* The address of the object's memory now, dead or alive. */
static inline struct spgc_ref spgc_current_address(const struct spgc_liveness *liveness,
                                                   struct spgc_ref object) {
  struct spgc_ref address = spgc_forwarded_address(liveness, object);
  return spgc_ref_is_null(address) ? object : address;
}

/* Reaches the object that the slot refers to. spgc_liveness_drain reaches its children. */
static inline void spgc_keep_alive(const struct spgc_liveness *liveness, struct spgc_slot slot) {
  if (liveness->evacuation != NULL)
    spgc_evacuation_forward(liveness->evacuation, slot);
  else if (spgc_heap_contains(liveness->heap, slot.location->word))
    spgc_mark(&liveness->marker->scanners[0], *slot.location, SPGC_TRACE_SERIAL);
}

static inline void spgc_liveness_drain(const struct spgc_liveness *liveness) {
  if (liveness->evacuation != NULL)
    spgc_evacuation_drain(liveness->evacuation);
  else
    spgc_marker_drain(liveness->marker);
}

/* `hook` is called for each object reached from now on. NULL removes it. */
static inline void spgc_liveness_set_hook(const struct spgc_liveness *liveness,
                                          const struct spgc_trace_hook *hook) {
  if (liveness->evacuation != NULL)
    spgc_evacuation_set_hook(liveness->evacuation, hook);
  else
    liveness->marker->scanners[0].hook = hook;
}

#endif
