#include "stackwalk/differential.h"

#include <inttypes.h>

#include "stackwalk/stepper.h"
#include "stackwalk/walk.h"
#include "support/fatal.h"

static void compare_frames(const struct suspended_frame *fast, const struct suspended_frame *reference) {
  uintptr_t at = reference->return_address.word;
  spgc_require(fast->return_address.word == at,
               "walks differ in a return address: 0x%" PRIxPTR " by recipe, 0x%" PRIxPTR " by libunwind",
               fast->return_address.word, at);
  spgc_require(frame_stack_pointer(fast) == frame_stack_pointer(reference),
               "walks differ in the stack pointer of the frame at 0x%" PRIxPTR ": 0x%" PRIxPTR " by recipe, 0x%" PRIxPTR
               " by libunwind",
               at, frame_stack_pointer(fast), frame_stack_pointer(reference));
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++)
    spgc_require(fast->origins[i].word == reference->origins[i].word,
                 "walks differ in where register %u of the frame at 0x%" PRIxPTR " was saved: 0x%" PRIxPTR
                 " by recipe, 0x%" PRIxPTR " by libunwind",
                 (unsigned)origin_register((enum origin)i), at, fast->origins[i].word, reference->origins[i].word);
}

static void compare_location(const struct visit *fast, const struct visit *reference, const struct location *location) {
  const void *by_recipe = spgc_visit_locate(fast, location).location;
  const void *by_unwinding = spgc_visit_locate(reference, location).location;
  spgc_require(by_recipe == by_unwinding,
               "walks differ in a root of the frame at 0x%" PRIxPTR ": %p by recipe, %p by libunwind",
               reference->frame.return_address, by_recipe, by_unwinding);
}

/* The entry's short form of a root, or 0 when there are fewer. */
static uintptr_t short_root(const struct frame_entry *entry, const struct suspended_frame *frame, unsigned index,
                            bool in_register) {
  if (in_register)
    return index < entry->register_roots ? frame->origins[entry->roots[index]].word : 0;
  uintptr_t origin = frame_entry_slot_origin(entry, frame, frame_stack_pointer(frame));
  bool exists = index >= entry->register_roots && index - entry->register_roots < entry->slot_roots;
  return exists ? origin + (uintptr_t)(intptr_t)entry->roots[index] : 0;
}

/* The entry's short form of the roots against the description. */
static void compare_roots(const struct frame_entry *entry, struct suspended_frame *fast,
                          const struct visit *reference) {
  uintptr_t at = reference->frame.return_address;
  bool loaded = frame_entry_load_pointer(entry, fast, reference->walk->lowest);
  spgc_require(loaded, "RBP of the frame at 0x%" PRIxPTR " was not saved on the stack", at);
  unsigned next = 0;
  for (uint32_t i = 0; i < entry->description->base_count; i++) {
    const struct location *base = &entry->description->bases[i];
    uintptr_t word = (uintptr_t)spgc_visit_locate(reference, base).location;
    for (unsigned lane = 0; lane < base->words; lane++, next++, word += WORD_SIZE) {
      uintptr_t by_entry = short_root(entry, fast, next, base->in_register);
      spgc_require(by_entry == word,
                   "walks differ in root %u of the frame at 0x%" PRIxPTR ": 0x%" PRIxPTR " by recipe, 0x%" PRIxPTR
                   " by libunwind",
                   next, at, by_entry, word);
    }
  }
  unsigned count = (unsigned)entry->register_roots + entry->slot_roots;
  spgc_require(next == count, "the frame at 0x%" PRIxPTR " has %u roots by recipe, %u by libunwind", at, count, next);
}

static void compare_managed_frames(struct walk *walk, struct stepper *fast, const struct stepper *reference) {
  const struct frame_entry *entry = reference->entry;
  const struct frame_description *description = entry->description;
  const struct spgc_frame frame = {.return_address = entry->return_address.word,
                                   .stack_pointer = frame_stack_pointer(&reference->frame)};
  const struct visit by_recipe = {walk, description, &fast->frame, frame};
  const struct visit by_unwinding = {walk, description, &reference->frame, frame};
  for (uint32_t i = 0; i < description->base_count; i++)
    compare_location(&by_recipe, &by_unwinding, &description->bases[i]);
  for (uint32_t i = 0; i < description->derived_count; i++)
    compare_location(&by_recipe, &by_unwinding, &description->derived[i].location);
  if (entry->roots_complete)
    compare_roots(entry, &fast->frame, &by_unwinding);
}

void spgc_compare_walks(const unw_context_t *captured, const struct walk *compared, struct stacklets stacklets) {
  struct walk walk = {.lowest = compared->lowest, .limit = compared->limit, .base = compared->base};
  struct stepper fast, reference;
  spgc_stepper_start(&fast, captured, walk.base, stacklets, true);
  spgc_stepper_start(&reference, captured, walk.base, stacklets, false);
  for (;;) {
    stepper_advance(&fast);
    stepper_advance(&reference);
    compare_frames(&fast.frame, &reference.frame);
    if (!stepper_has_frame(&reference))
      return;
    if (reference.entry == NULL)
      spgc_stepper_require_unmanaged(&reference);
    else
      compare_managed_frames(&walk, &fast, &reference);
  }
}
