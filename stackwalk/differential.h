#ifndef SPGC_STACKWALK_DIFFERENTIAL_H
#define SPGC_STACKWALK_DIFFERENTIAL_H

#include "stackwalk/walk.h"

/* Walks by unwind plans and by libunwind, and writes nothing. Any difference is fatal: in a return
 * address, a stack pointer, a register's place, or a root. */
void spgc_compare_walks(const struct spgc_suspended_stack *stack, const struct walk *walk);

#endif
