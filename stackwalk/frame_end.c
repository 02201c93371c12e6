#include "stackwalk/frame_end.h"

#include "stackwalk/call_frame.h"
#include "stackwalk/machine_frame.h"
#include "stackwalk/walk.h"
#include "stackwalk/walkers.h"
#include "support/cancellation.h"

static void *find_end(const struct spgc_suspended_stack *stack, void *frame_address) {
  const struct stack_address no_limit = {UINTPTR_MAX};
  struct suspended_frame frame = stack->frame;
  struct call_frame rules;
  while (frame_stack_pointer(&frame) <= (uintptr_t)frame_address)
    if (!spgc_call_frame_find(frame.return_address, &rules) ||
        !spgc_call_frame_step(&rules, &frame, no_limit))
      return frame_address;
  return (void *)frame_stack_pointer(&frame);
}

void *spgc_frame_end(void *frame_address) {
  if (!FRAME_ADDRESS_MAY_BE_LOWEST)
    return frame_address;
  SPGC_UNCANCELLED;
  unsigned entered = spgc_walkers_enter();
  void *end = spgc_stack_suspend(frame_address, find_end, frame_address);
  spgc_walkers_leave(entered);
  return end;
}
