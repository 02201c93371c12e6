/* A speculation: a minor evacuation that can be given up, for a pause shall not be as long as much
 * survives.
 *
 *   spgc_evacuation_begin_minor
 *   spgc_speculation_begin
 *   spgc_speculation_reach           for the word of each root
 *   spgc_speculation_scan_cards
 *   spgc_speculation_copy            until nothing more is reached, or the deadline has passed:
 *     true   the evacuation goes on from its first root. What roots and cards refer to has moved:
 * only slots change false  spgc_speculation_roll_back: the nursery is what it was before the
 * evacuation began
 *
 * Until it has ended nothing is written but copies and headers of condemned objects, and whose
 * headers is listed: heap->originals. The copies of a speculation that was given up are garbage
 * between old objects: nothing refers to them.
 *
 * It is alone, and copies small objects. Large ones are reached, and a marking that goes on
 * meanwhile hears of the copies, when these are final.
 */
#ifndef SPGC_GC_TRACE_SPECULATION_H
#define SPGC_GC_TRACE_SPECULATION_H

#include "gc/trace/evacuate.h"

/* False where there is no memory for the list, or for a small one only. */
bool spgc_speculation_begin(struct spgc_evacuation *evacuation);

void spgc_speculation_reach(struct spgc_evacuation *evacuation, uintptr_t word);
void spgc_speculation_scan_cards(struct spgc_evacuation *evacuation);

/* `deadline_ns`: by spgc_clock_ns. Also false when there is more than fits the list or the stack.
 */
bool spgc_speculation_copy(struct spgc_evacuation *evacuation, uint64_t deadline_ns);

void spgc_speculation_roll_back(struct spgc_evacuation *evacuation);

#endif
