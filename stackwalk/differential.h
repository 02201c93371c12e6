/* The walk by unwind plans against the walk by libunwind alone, frame by frame. */
#ifndef SPGC_STACKWALK_DIFFERENTIAL_H
#define SPGC_STACKWALK_DIFFERENTIAL_H

#include "stackwalk/walk.h"

/* Walks both ways from the frame that suspended the stack up to the walk's base, side by side, and
 * writes nothing. Any difference is fatal: in a return address, a stack pointer, where one of the
 * six registers was saved, a root. */
void spgc_compare_walks(const struct spgc_suspended_stack *stack, const struct walk *walk);

#endif
