/* Each processor has a folder (docs/files.md) with registers.h, return_place.h, call_instruction.h,
 * unwind_plan.h and .c, return_barrier.h and .S, interrupted_frame.h, resume_frame.h,
 * saved_registers.h, save_registers.inc, suspend.S, shadow_stack.h, stack_switch.c,
 * stack_switch_stub.S and protected_call_stub.S.
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
