#include <inttypes.h>

#include "spgc/exception.h"
#include "stackwalk/landing_pad.h"
#include "stackwalk/left_frames.h"
#include "stackwalk/machine_frame.h"
#include "stackwalk/pad_cache.h"
#include "stackwalk/personality.h"
#include "stackwalk/protected_call.h"
#include "stackwalk/shadow_stack.h"
#include "stackwalk/stepper.h"
#include "stackwalk/walk.h"
#include "stackwalk/walkers.h"
#include "support/cancellation.h"
#include "support/fatal.h"

/* Only `outcome` is set, unless it is SPGC_UNWIND_LANDING_PAD. */
struct destination {
  enum spgc_unwinding outcome;
  uintptr_t pad;
  uintptr_t stack_pointer;
  struct protected_call *protected_call;    /* the innermost protected call that stays */
  uintptr_t registers[PRESERVED_REGISTERS]; /* all, which landing pads need; if libunwind does not
                                               find them, the option does not matter */
};

static enum landing look_up_pad(struct stepper *stepper, uintptr_t *pad) {
  struct unwinder_function function = spgc_stepper_function(stepper);
  if (function.personality == 0)
    return LANDING_NONE;
  if (function.personality != (uintptr_t)&spgc_personality)
    return LANDING_FOREIGN;
  uintptr_t call = stepper->frame.return_address.word - 1;
  *pad = spgc_find_landing_pad(function.language_data, function.start.word, call).address;
  return *pad != 0 ? LANDING_PAD : LANDING_NONE;
}

static enum landing landing_of(struct stepper *stepper, uintptr_t *pad) {
  struct frame_entry *entry = stepper->entry;
  struct return_address address = entry->return_address;
  enum landing landing = (enum landing)atomic_load_explicit(&entry->landing, memory_order_relaxed);
  if (landing == LANDING_NONE || landing == LANDING_FOREIGN)
    return landing;
  *pad = spgc_pad_cache_find(address);
  if (*pad != 0)
    return LANDING_PAD;
  landing = look_up_pad(stepper, pad);
  atomic_store_explicit(&entry->landing, (uint8_t)landing, memory_order_relaxed);
  if (landing == LANDING_PAD)
    spgc_pad_cache_add(address, *pad);
  return landing;
}

static enum landing landing_of_unmanaged(struct stepper *stepper,
                                         struct protected_call **innermost) {
  uintptr_t personality = spgc_stepper_function(stepper).personality;
  if (personality == (uintptr_t)&spgc_protected_call_personality) {
    *innermost = protected_call_of_frame(frame_stack_pointer(&stepper->frame))->outer;
    return LANDING_NONE;
  }
  return personality != 0 ? LANDING_FOREIGN : LANDING_NONE;
}

static struct destination search(struct stepper *stepper) {
  struct protected_call *innermost = spgc_protected_call_innermost();
  for (; stepper_has_frame(stepper); stepper_advance(stepper)) {
    uintptr_t pad = 0;
    if (stepper->entry == NULL)
      spgc_stepper_identify(stepper);
    enum landing landing = stepper->entry != NULL ? landing_of(stepper, &pad)
                                                  : landing_of_unmanaged(stepper, &innermost);
    if (landing == LANDING_FOREIGN)
      return (struct destination){.outcome = SPGC_UNWIND_FOREIGN_FRAME};
    if (landing == LANDING_PAD)
      return (struct destination){.outcome = SPGC_UNWIND_LANDING_PAD,
                                  .pad = pad,
                                  .stack_pointer = frame_stack_pointer(&stepper->frame),
                                  .protected_call = innermost};
  }
  return (struct destination){.outcome = SPGC_UNWIND_NO_LANDING_PAD};
}

static void load_registers(struct destination *destination, const struct suspended_frame *frame) {
  for (unsigned i = 0; i < PRESERVED_REGISTERS; i++) {
    uintptr_t place = frame->origins[i].word;
    spgc_require(place != 0, "no frame saved register %u of the one at 0x%" PRIxPTR,
                 (unsigned)origin_register((enum origin)i), frame->return_address.word);
    destination->registers[i] = *(const uintptr_t *)place;
  }
}

/* Landing pads need all preserved registers, which libunwind may not find. */
static bool takes_plans(void) {
  return spgc_walk_selected() != SPGC_WALK_UNWIND || !UNWINDER_FINDS_PRESERVED;
}

static void *unwind_suspended(const struct spgc_suspended_stack *stack, void *context) {
  struct destination *destination = context;
  struct stepper stepper;
  suspended_stack_require_base(stack);
  SPGC_UNCANCELLED;
  unsigned entered = spgc_walkers_enter();
  spgc_stepper_start(&stepper, stack, NULL, takes_plans());
  *destination = search(&stepper);
  if (destination->outcome == SPGC_UNWIND_LANDING_PAD && spgc_shadow_stack_is_on())
    destination->outcome = SPGC_UNWIND_FOREIGN_FRAME; /* the system's unwinder adjusts it */
  if (destination->outcome == SPGC_UNWIND_LANDING_PAD)
    load_registers(destination, &stepper.frame);
  spgc_walkers_leave(entered);
  return NULL;
}

enum spgc_unwinding spgc_unwind_outlook(void *base) {
  struct destination destination;
  spgc_stack_suspend(base, unwind_suspended, &destination);
  return destination.outcome;
}

enum spgc_unwinding spgc_unwind(void *base, struct _Unwind_Exception *exception) {
  struct destination destination;
  spgc_stack_suspend(base, unwind_suspended, &destination);
  if (destination.outcome != SPGC_UNWIND_LANDING_PAD)
    return destination.outcome;
  spgc_personality_note(exception);
  spgc_protected_call_set_innermost(destination.protected_call);
  spgc_frames_left(destination.stack_pointer);
  resume_frame(destination.registers, destination.stack_pointer, destination.pad);
}
