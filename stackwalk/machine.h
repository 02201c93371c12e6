/* Each processor has a folder with
 *
 *   registers.h             the registers that a walk follows, and the origins of locations
 *   return_place.h          where return addresses are, and what their words mean
 *   call_instruction.h      whether a call ends at an address, and where it leads
 *   unwind_plan.h, .c       steps from a frame to its caller by a plan learned for its code
 *   return_barrier.h, .S    addresses that a watermark puts in place of return addresses
 *   interrupted_frame.h     frames that a signal interrupted
 *   resume_frame.h          continues in a frame further out
 *   suspend.S               saves the thread's registers where a walk may rewrite them
 *   saved_registers.h, save_registers.inc
 *                           their layout there
 *   shadow_stack.h          whether returns are compared with a shadow stack
 *   stack_switch.c, stack_switch_stub.S
 *                           prepare the stacks of fibers, and switch to them
 *   protected_call_stub.S   calls that can be left at any time
 *
 * Other code uses only register names of registers.h, which this header includes; machine_frame.h
 * includes the other headers. */
#ifndef SPGC_STACKWALK_MACHINE_H
#define SPGC_STACKWALK_MACHINE_H

#if defined(__x86_64__)
#include "stackwalk/x86_64/registers.h"
#elif defined(__aarch64__)
#include "stackwalk/aarch64/registers.h"
#else
#error "stackwalk/ has no folder for this processor"
#endif

#endif
