/* An attempt: a minor evacuation that can be given up, for a pause shall not be as long as much survives.
 *
 *   spgc_evacuation_begin_minor
 *   spgc_attempt_begin
 *   spgc_attempt_reach           for the word of each root
 *   spgc_attempt_read_cards
 *   spgc_attempt_copy            until nothing more is reached, or the deadline has passed:
 *     true   the evacuation goes on from its first root. What roots and cards refer to has moved: only slots change
 *     false  spgc_attempt_give_up: the nursery is what it was before the evacuation began
 *
 * Until it has ended nothing is written but copies and headers of condemned objects, and whose headers is listed:
 * heap->originals. The copies of an attempt that was given up are garbage between old objects: nothing refers to them.
 *
 * It is alone, and copies small objects. Large ones are reached, and a marking that goes on meanwhile hears of the
 * copies, when these are final.
 */
#ifndef SPGC_GC_TRACE_SPECULATION_H
#define SPGC_GC_TRACE_SPECULATION_H

#include "gc/trace/evacuate.h"

/* False where there is no memory for the list, or for a small one only. */
bool spgc_attempt_begin(struct spgc_evacuation *evacuation);

void spgc_attempt_reach(struct spgc_evacuation *evacuation, uintptr_t word);
void spgc_attempt_read_cards(struct spgc_evacuation *evacuation);

/* `deadline_ns`: by spgc_clock_ns. Also false when there is more than fits the list or the stack. */
bool spgc_attempt_copy(struct spgc_evacuation *evacuation, uint64_t deadline_ns);

void spgc_attempt_give_up(struct spgc_evacuation *evacuation);

#endif
