/* The walk by recipes against the walk by libunwind alone, frame by frame. */
#ifndef SPGC_STACKWALK_DIFFERENTIAL_H
#define SPGC_STACKWALK_DIFFERENTIAL_H

#include "stackwalk/stacklets.h"
#include "stackwalk/unwinder.h"
#include "stackwalk/walk.h"

/* Walks both ways from the function that captured `captured` up to the walk's base, side by side, and writes nothing.
 * Any difference is fatal: in a return address, a stack pointer, where one of the six registers was saved, a root. */
void spgc_compare_walks(const unw_context_t *captured, const struct walk *walk, struct stacklets stacklets);

#endif
