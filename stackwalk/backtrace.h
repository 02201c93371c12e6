#ifndef SPGC_STACKWALK_BACKTRACE_H
#define SPGC_STACKWALK_BACKTRACE_H

#include "spgc/stackwalk.h"

struct spgc_call {
  uintptr_t instruction;  /* in the call; the next one if a signal interrupted the frame */
  uint64_t statepoint_id; /* a managed frame's */
  bool is_managed;
};

/* Lists calls from the innermost outwards; returns their number. Only libunwind may call malloc or
 * the system. Any thread that may walk the stack. */
size_t spgc_backtrace(const struct spgc_suspended_stack *stack, struct spgc_call *calls,
                      size_t most);

#endif
