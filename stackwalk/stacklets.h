/* Code compiled with split stacks continues in a stacklet when its stack is used up
 * (https://gcc.gnu.org/wiki/SplitStacks), so older frames may be at lower addresses. Walks cross
 * stacklets by the unwind information of libgcc's __morestack. */
#ifndef SPGC_STACKWALK_STACKLETS_H
#define SPGC_STACKWALK_STACKLETS_H

#include <stdbool.h>

#include "stackwalk/address.h"

/* The stacklets of one thread, while its stack does not change. */
struct stacklets {
  bool exist;                 /* besides the thread's first stack */
  struct stack_address above; /* a stacklet's used part above the base; UINTPTR_MAX: none */
};

struct stacklets spgc_stacklets(struct stack_address base);

#endif
