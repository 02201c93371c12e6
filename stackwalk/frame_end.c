#include "stackwalk/frame_end.h"

#include "stackwalk/stepper.h"
#include "stackwalk/walkers.h"
#include "support/cancellation.h"

/* Steps like a walk without a base. */
static void *find_end(const struct spgc_suspended_stack *stack, void *frame_address) {
  struct stepper stepper;
  spgc_stepper_start(&stepper, stack, NULL, spgc_walk_selected() != SPGC_WALK_UNWIND);
  while (frame_stack_pointer(&stepper.frame) <= (uintptr_t)frame_address)
    stepper_advance(&stepper);
  return (void *)frame_stack_pointer(&stepper.frame);
}

void *spgc_frame_end(void *frame_address) {
  if (!FRAME_ADDRESS_MAY_BE_LOWEST)
    return frame_address;
  SPGC_UNCANCELLED;
  unsigned entered = spgc_walkers_enter();
  void *end = spgc_stack_suspend((void *)UINTPTR_MAX, find_end, frame_address);
  spgc_walkers_leave(entered);
  return end;
}
