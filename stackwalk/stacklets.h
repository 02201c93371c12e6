/* Code compiled with split stacks continues in a stacklet when its stack is used up
 * (https://gcc.gnu.org/wiki/SplitStacks). A larger address there need not belong to an older frame.
 * The walk crosses stacklets by the unwind information of libgcc's __morestack. */
#ifndef SPGC_STACKWALK_STACKLETS_H
#define SPGC_STACKWALK_STACKLETS_H

#include <stdbool.h>

#include "stackwalk/address.h"

/* The stacklets of one thread, while its stack does not change. */
struct stacklets {
  bool exist;                 /* besides the stack the thread started on */
  struct stack_address above; /* a stacklet's used part above the base; UINTPTR_MAX: none */
};

struct stacklets spgc_stacklets(struct stack_address base);

#endif
