/* What depends on the processor lies in a folder for each, which has
 *
 *   registers.h        the registers that a walk follows, and what a frame's locations are counted
 * from unwind_plan.h      how to step from a frame to its caller with what was learned of the
 * frame's code return_barrier.h   the return addresses that a watermark puts in place of a frame's
 * own resume_frame.h      goes on in a frame further out suspend.c, .S      the calling thread's
 * registers, saved where a walk may rewrite them stack_switch.c, stack_switch_stub.S,
 * protected_call_stub.S the stacks of fibers, and the calls that can be left
 *
 * The rest of this library names no register but by the names that registers.h gives. This header
 * offers the first of these, because the others build upon it: stackwalk/machine_frame.h offers
 * them.
 */
#ifndef SPGC_STACKWALK_MACHINE_H
#define SPGC_STACKWALK_MACHINE_H

#if defined(__x86_64__)
#include "stackwalk/x86_64/registers.h"
#else
#error "stackwalk/ has no folder for this processor"
#endif

#endif
