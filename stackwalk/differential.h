/* Compares the walk by unwind plans with the walk by libunwind alone, frame by frame. */
#ifndef SPGC_STACKWALK_DIFFERENTIAL_H
#define SPGC_STACKWALK_DIFFERENTIAL_H

#include "stackwalk/walk.h"

/* Walks both ways, side by side, from the frame that suspended the stack up to the walk's base, and
 * writes nothing. Any difference is fatal: in a return address, in a stack pointer, in the place
 * where one of the six registers was saved, or in a root. */
void spgc_compare_walks(const struct spgc_suspended_stack *stack, const struct walk *walk);

#endif
