/* Liveness: the view of a collection that weak processing has. It asks whether an object is alive,
 * asks for its forwarded address, and keeps more objects alive.
 *
 * A collection decides at most twice. After the evacuation, condemned objects that were not reached
 * are dead, and all others count as alive. After a final mark, old objects without a mark are dead.
 */
#ifndef SPGC_GC_TRACE_LIVENESS_H
#define SPGC_GC_TRACE_LIVENESS_H

#include "heap/mark_bits.h"

/* A trace hook is called for every object as it is reached: ephemerons learn in this way that their
 * keys are alive. It is set only while the world is stopped and one thread collects. */
struct spgc_trace_hook {
  /* `object` is the address before the collection. The function must not visit slots. */
  void (*reached)(void *context, struct spgc_ref object);
  void *context;
};

struct spgc_liveness {
  struct spgc_heap *heap;
  bool by_marks; /* old objects without a mark are dead; else condemned ones that have not moved */
  bool all;      /* objects that were old before may be dead, too */
  bool needs_roots; /* what old objects in side tables lead to must be reached: they may be dead, or
                       they are being marked */

  /* What traces, an evacuation or a marking, and how it reaches more objects. */
  void *tracer;
  void (*keep_alive)(void *tracer, struct spgc_slot slot); /* the object that the slot refers to */
  void (*drain)(void *tracer);                             /* the children of what was reached */
  /* `hook` is called for each object reached from now on. NULL removes it. */
  void (*set_hook)(void *tracer, const struct spgc_trace_hook *hook);
};

/* The object's address from now on, or null if it is dead. A word outside the heap is returned
 * unchanged. */
static inline struct spgc_ref spgc_forwarded_address(const struct spgc_liveness *liveness,
                                                     struct spgc_ref object) {
  const struct spgc_heap *heap = liveness->heap;
  if (!spgc_heap_contains(heap, object.word))
    return object;
  if (liveness->by_marks)
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

#endif
