#include "stackwalk/differential.h"

#include <inttypes.h>

#include "stackwalk/entry_roots.h"
#include "stackwalk/stepper.h"
#include "stackwalk/walk.h"
#include "support/fatal.h"

/* A return address above the limit was not read. */
static void compare_frames(const struct suspended_frame *fast,
                           const struct suspended_frame *reference, struct stack_address limit) {
  uintptr_t at = reference->return_address.word, stack_pointer = frame_stack_pointer(reference);
  spgc_require(frame_stack_pointer(fast) == stack_pointer,
               "walks differ in the stack pointer of the frame at 0x%" PRIxPTR ": 0x%" PRIxPTR
               " by unwind plan, 0x%" PRIxPTR " by libunwind",
               at, frame_stack_pointer(fast), stack_pointer);
  spgc_require(stack_pointer > limit.word || fast->return_address.word == at,
               "walks differ in a return address: 0x%" PRIxPTR " by unwind plan, 0x%" PRIxPTR
               " by libunwind",
               fast->return_address.word, at);
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++)
    spgc_require(fast->origins[i].word == reference->origins[i].word,
                 "walks differ in where register %u of the frame at 0x%" PRIxPTR
                 " was saved: 0x%" PRIxPTR " by unwind plan, 0x%" PRIxPTR " by libunwind",
                 (unsigned)origin_register((enum origin)i), at, fast->origins[i].word,
                 reference->origins[i].word);
}

static void compare_location(const struct visit *fast, const struct visit *reference,
                             const struct location *location) {
  const void *by_unwind_plan = spgc_visit_locate(fast, location).location;
  const void *by_unwinding = spgc_visit_locate(reference, location).location;
  spgc_require(by_unwind_plan == by_unwinding,
               "walks differ in a root of the frame at 0x%" PRIxPTR
               ": %p by unwind plan, %p by libunwind",
               reference->frame.return_address, by_unwind_plan, by_unwinding);
}

/* By the entry and by the description. */
static void compare_simple_frame(const struct frame_entry *entry, struct suspended_frame *fast,
                                 const struct visit *reference) {
  struct spgc_slot slots[ENTRY_ROOTS];
  uintptr_t values[CALLEE_SAVED_REGISTERS];
  unsigned registers = 0, in_slots = 0;
  bool inside = entry_registers_locate(reference->walk, entry, fast, slots, values, &registers) &&
                entry_slots_locate(reference->walk, entry, frame_stack_pointer(fast), fast,
                                   slots + registers, &in_slots);
  unsigned count = registers + in_slots;
  spgc_require(inside && count == reference->description->base_count,
               "the frame at 0x%" PRIxPTR " has %u roots by unwind plan, %u by libunwind",
               reference->frame.return_address, count, reference->description->base_count);
  for (unsigned i = 0; i < count; i++) {
    const void *place = spgc_visit_locate(reference, &reference->description->bases[i]).location;
    spgc_require((const void *)slots[i].location == place,
                 "walks differ in root %u of the frame at 0x%" PRIxPTR
                 ": %p by unwind plan, %p by libunwind",
                 i, reference->frame.return_address, (const void *)slots[i].location, place);
  }
}

static void compare_managed_frames(struct walk *walk, struct stepper *fast,
                                   const struct stepper *reference) {
  const struct frame_entry *entry = reference->entry;
  struct entry_description room;
  const struct frame_description *description = spgc_frame_entry_description(entry, &room);
  const struct spgc_frame frame = {.return_address = entry->return_address.word,
                                   .stack_pointer = frame_stack_pointer(&reference->frame)};
  const struct visit by_unwind_plan = {walk, description, &fast->frame, frame};
  const struct visit by_unwinding = {walk, description, &reference->frame, frame};
  for (uint32_t i = 0; i < description->base_count; i++)
    compare_location(&by_unwind_plan, &by_unwinding, &description->bases[i]);
  for (uint32_t i = 0; i < description->derived_count; i++)
    compare_location(&by_unwind_plan, &by_unwinding, &description->derived[i].location);
  if (!frame_entry_is_described(entry))
    compare_simple_frame(entry, &fast->frame, &by_unwinding);
}

static void identify(struct stepper *reference, struct stepper *fast) {
  spgc_stepper_identify(reference);
  fast->entry = reference->entry;
}

void spgc_compare_walks(const struct spgc_suspended_stack *stack, const struct walk *compared) {
  struct walk walk = {.lowest = compared->lowest, .limit = compared->limit, .base = compared->base};
  struct stepper fast, reference;
  spgc_stepper_start(&fast, stack, NULL, true);
  spgc_stepper_start(&reference, stack, NULL, false);
  while (stepper_has_frame(&reference)) {
    compare_frames(&fast.frame, &reference.frame, walk.limit);
    if (reference.entry == NULL)
      identify(&reference, &fast);
    if (reference.entry != NULL)
      compare_managed_frames(&walk, &fast, &reference);
    stepper_advance(&fast);
    stepper_advance(&reference);
  }
  compare_frames(&fast.frame, &reference.frame, walk.limit);
}
