/* Pinned objects stay where they are in an evacuation.
 *
 *   spgc_pin_hold     after condemning and before anything is forwarded, for each pinned object
 *   spgc_pin_scan     then, for each of them
 *   spgc_pin_release  when nothing reachable is condemned any more, for each of them,
 *   spgc_pin_settle   then again for each
 *   spgc_pin_mark     then again for each, when a marking goes on meanwhile
 *
 * A held object is forwarded to itself; what else lives in its block moves away. In the end the
 * block is an old one, with fillers around the held objects.
 */
#ifndef SPGC_GC_TRACE_PINNED_H
#define SPGC_GC_TRACE_PINNED_H

#include "gc/trace/evacuate.h"

/* Reaches the object. Returns its header when it is held, and 0 when nothing would move it; only
 * held ones are to be scanned and released. */
uintptr_t spgc_pin_hold(struct spgc_evacuation *evacuation, struct spgc_ref object);

/* Forwards what the held object refers to. */
void spgc_pin_scan(struct spgc_evacuation *evacuation, struct spgc_ref object, uintptr_t header);

void spgc_pin_release(struct spgc_heap *heap, struct spgc_ref object, uintptr_t header);
void spgc_pin_settle(struct spgc_heap *heap, struct spgc_ref object);
void spgc_pin_mark(struct spgc_marker *marker, struct spgc_ref object);

#endif
