#include "stackwalk/stepper.h"

#include <inttypes.h>

#include "stackwalk/unmanaged_code.h"
#include "support/fatal.h"

void spgc_stepper_start(struct stepper *stepper, const unw_context_t *captured, struct stack_address base,
                        bool by_recipe) {
  stepper->by_recipe = by_recipe;
  stepper->unwinder_is_here = true;
  stepper->base = base;
  stepper->entry = NULL;
  spgc_unwinder_start(&stepper->unwinder, captured, &stepper->frame);
}

static void bring_unwinder(struct stepper *stepper) {
  if (!stepper->unwinder_is_here)
    spgc_unwinder_resume(&stepper->unwinder, &stepper->frame);
  stepper->unwinder_is_here = true;
}

void spgc_stepper_unwind(struct stepper *stepper) {
  bring_unwinder(stepper);
  struct frame_entry *entry = stepper->entry;
  struct suspended_frame frame = stepper->frame;
  bool learns = stepper->by_recipe && entry != NULL && recipe_kind(frame_entry_recipe(entry)) == RECIPE_UNKNOWN;
  if (learns)
    spgc_unwinder_function(&stepper->unwinder);
  spgc_require(spgc_unwinder_step(&stepper->unwinder, &stepper->frame),
               "the stack walk ended at 0x%" PRIxPTR ", before its base 0x%" PRIxPTR, frame_stack_pointer(&frame),
               stepper->base.word);
  if (learns) {
    struct recipe recipe = spgc_recipe_observe(entry->description->stack_size, &frame, &stepper->frame);
    atomic_store_explicit(&entry->recipe, recipe.word, memory_order_relaxed);
  }
  stepper->entry = frame_table_find(stepper->frame.return_address);
  spgc_require(stepper->entry == NULL || frame_stack_pointer(&stepper->frame) % WORD_SIZE == 0,
               "the stack pointer 0x%" PRIxPTR " of the frame at 0x%" PRIxPTR " is not aligned",
               frame_stack_pointer(&stepper->frame), stepper->frame.return_address.word);
}

/* Maps give only starts of functions, so the extent of the function around the address comes from its unwind
 * information. */
void spgc_stepper_require_unmanaged(struct stepper *stepper) {
  struct return_address address = stepper->frame.return_address;
  if (spgc_unmanaged_code_is_known(address))
    return;
  bring_unwinder(stepper);
  struct function_address start = spgc_unwinder_function(&stepper->unwinder);
  spgc_require(!spgc_frame_table_has_function(start),
               "return address 0x%" PRIxPTR " of the managed function at 0x%" PRIxPTR " has no stack map record",
               address.word, start.word);
  spgc_unmanaged_code_remember(address);
}
