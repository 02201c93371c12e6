#include "stackwalk/backtrace.h"

#include "stackwalk/stepper.h"
#include "stackwalk/walkers.h"
#include "support/cancellation.h"

static struct spgc_call call_of(const struct stepper *stepper) {
  uintptr_t address = stepper->frame.return_address.word;
  return (struct spgc_call){.instruction = stepper->is_interrupted ? address : address - 1,
                            .statepoint_id = stepper->entry != NULL ? stepper->entry->id : 0,
                            .is_managed = stepper->entry != NULL};
}

size_t spgc_backtrace(const struct spgc_suspended_stack *stack, struct spgc_call *calls,
                      size_t most) {
  struct stepper stepper;
  size_t count = 0;
  SPGC_UNCANCELLED;
  unsigned entered = spgc_walkers_enter();
  spgc_stepper_start(&stepper, stack, NULL, spgc_walk_selected() != SPGC_WALK_UNWIND);
  for (; count < most && stepper_has_frame(&stepper); stepper_advance(&stepper))
    calls[count++] = call_of(&stepper);
  spgc_walkers_leave(entered);
  return count;
}
