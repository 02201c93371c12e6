#ifndef SPGC_STACKWALK_MACHINE_FRAME_H
#define SPGC_STACKWALK_MACHINE_FRAME_H

#if defined(__x86_64__)
#include "stackwalk/x86_64/call_instruction.h"
#include "stackwalk/x86_64/interrupted_frame.h"
#include "stackwalk/x86_64/resume_frame.h"
#include "stackwalk/x86_64/return_barrier.h"
#include "stackwalk/x86_64/return_place.h"
#include "stackwalk/x86_64/saved_registers.h"
#include "stackwalk/x86_64/shadow_stack.h"
#include "stackwalk/x86_64/unwind_plan.h"
#elif defined(__aarch64__)
#include "stackwalk/aarch64/call_instruction.h"
#include "stackwalk/aarch64/interrupted_frame.h"
#include "stackwalk/aarch64/resume_frame.h"
#include "stackwalk/aarch64/return_barrier.h"
#include "stackwalk/aarch64/return_place.h"
#include "stackwalk/aarch64/saved_registers.h"
#include "stackwalk/aarch64/shadow_stack.h"
#include "stackwalk/aarch64/unwind_plan.h"
#endif

#endif
