/* The calls that a suspended stack waits in, managed and C alike, without their roots. */
#ifndef SPGC_STACKWALK_BACKTRACE_H
#define SPGC_STACKWALK_BACKTRACE_H

#include "spgc/stackwalk.h"

/* A call under way. */
struct spgc_call {
  uintptr_t instruction;  /* an address in the call; that of the next instruction if a signal
                             interrupted the frame */
  uint64_t statepoint_id; /* of a managed frame's call site */
  bool is_managed;
};

/* Writes the calls under way, the innermost first, up to the stack's base, and at most `most` of
 * them. Returns how many. It calls neither malloc nor the system, except in libunwind. Any thread
 * that may walk the stack. */
size_t spgc_backtrace(const struct spgc_suspended_stack *stack, struct spgc_call *calls,
                      size_t most);

#endif
