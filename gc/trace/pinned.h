/* Pinned objects stay where they are in an evacuation.
 *
 *   spgc_pin_hold     for each pinned object, after condemning and before anything is forwarded
 *   spgc_pin_scan     then for each held object
 *   spgc_pin_release  for each, when no reachable object is condemned any more
 *   spgc_pin_settle   then for each
 *   spgc_pin_mark     then for each, if a marking is under way
 *
 * A held object is forwarded to itself, and the other objects of its block move away. In the end
 * the block is an old one, with fillers around the held objects.
 */
#ifndef SPGC_GC_TRACE_PINNED_H
#define SPGC_GC_TRACE_PINNED_H

#include "gc/trace/evacuate.h"

/* Reaches the object. Returns its header if it is held. Returns 0 if nothing would move it; it is
 * then neither scanned nor released. */
uintptr_t spgc_pin_hold(struct spgc_evacuation *evacuation, struct spgc_ref object);

/* Forwards the slots of the held object. */
void spgc_pin_scan(struct spgc_evacuation *evacuation, struct spgc_ref object, uintptr_t header);

void spgc_pin_release(struct spgc_heap *heap, struct spgc_ref object, uintptr_t header);
void spgc_pin_settle(struct spgc_heap *heap, struct spgc_ref object);
void spgc_pin_mark(struct spgc_marker *marker, struct spgc_ref object);

#endif
