/* Segmented stacks: code compiled with split stacks continues in a stacklet when the stack it runs
 * on is used up (https://gcc.gnu.org/wiki/SplitStacks).
 *
 * Stacklets lie anywhere, so on such a stack a larger address need not belong to an older frame.
 * The walk goes from stacklet to stacklet by the unwind information of libgcc's __morestack.
 */
#ifndef SPGC_STACKWALK_STACKLETS_H
#define SPGC_STACKWALK_STACKLETS_H

#include <stdbool.h>

#include "stackwalk/address.h"

/* The stacklets of one thread's stack, while it does not change. */
struct stacklets {
  bool exist;                 /* there are stacklets besides the stack the thread started on */
  struct stack_address above; /* the lowest part in use of a stacklet above the base; UINTPTR_MAX:
                                 none is above it */
};

/* The calling thread's stacklets. */
struct stacklets spgc_stacklets(struct stack_address base);

#endif
