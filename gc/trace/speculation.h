/* Speculative evacuation: a minor evacuation with a deadline, so that pauses do not scale with
 * survival. When the deadline passes it is rolled back, and the nursery is promoted in place.
 *
 *   spgc_evacuation_begin_minor
 *   spgc_speculation_begin
 *   spgc_speculation_reach           for the word of each root
 *   spgc_speculation_scan_cards      until the deadline: then it is rolled back, too
 *   spgc_speculation_copy            until nothing is left, or the deadline has passed
 *     true   the evacuation goes on from its first root. The objects that roots and cards refer to
 *            have moved; only slots change
 *     false  spgc_speculation_roll_back restores the nursery as it was before the evacuation
 *
 * Invariant: until it has ended, it writes only copies and the headers of condemned objects, and
 * the undo log (heap->undo_log) lists each object whose header it has overwritten. After a rollback
 * nothing refers to the copies; they are garbage among old objects.
 *
 * A speculation runs on worker 0 alone, and copies small objects. Large objects are reached, and a
 * marking under way learns about the copies, when the copies are final.
 */
#ifndef SPGC_GC_TRACE_SPECULATION_H
#define SPGC_GC_TRACE_SPECULATION_H

#include "gc/trace/evacuate.h"

/* False when there is no memory for an undo log of full capacity. */
bool spgc_speculation_begin(struct spgc_evacuation *evacuation);

void spgc_speculation_reach(struct spgc_evacuation *evacuation, struct spgc_ref object);

/* False when `deadline_ns` (by spgc_clock_ns) has passed. */
bool spgc_speculation_scan_cards(struct spgc_evacuation *evacuation, uint64_t deadline_ns);

/* Copies until nothing is left. False when `deadline_ns` has passed, or when the undo log or the
 * stack is full. */
bool spgc_speculation_copy(struct spgc_evacuation *evacuation, uint64_t deadline_ns);

void spgc_speculation_roll_back(struct spgc_evacuation *evacuation);

#endif
