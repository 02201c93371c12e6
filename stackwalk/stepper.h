/* From each frame of the calling thread's stack to the next one out.
 *
 *    higher addresses
 *   +------------------------+ <- base: the walk ends at the first frame whose stack pointer reaches it
 *   | C frame                |   libunwind, handed over to in the middle of the stack
 *   +------------------------+
 *   | managed frame          |   recipe
 *   | managed frame          |   recipe
 *   +------------------------+
 *   | C frame                |   libunwind
 *   +------------------------+
 *   | spgc_walk_stack        |   saved every callee-saved register nobody else had
 *   +------------------------+ <- lowest
 *
 * Return addresses that barriers replace (return_barrier.h) are seen through. With a watermark the walk ends where that
 * is reached, at the first frame that was not resumed.
 *
 * A stepper with `by_recipe` crosses managed frames by their recipes (recipe.h) and learns those not known yet. One
 * without leaves every step to libunwind: the reference.
 */
#ifndef SPGC_STACKWALK_STEPPER_H
#define SPGC_STACKWALK_STEPPER_H

#include "stackwalk/frame_table.h"
#include "stackwalk/stacklets.h"
#include "stackwalk/unwinder.h"
#include "stackwalk/watermark.h"

struct stepper {
  struct suspended_frame frame;   /* where the stepper is */
  struct frame_entry *entry;      /* of that frame; NULL: no live map describes it */
  const struct frame_map *recent; /* where the last entry was found */
  bool by_recipe;
  bool unwinder_is_here; /* the unwinder is at `frame`; otherwise it was left behind further in */
  bool reached_watermark;
  struct stack_address base; /* the frame's stack pointer once the watermark is reached */
  struct stacklets stacklets;
  struct spgc_watermark *watermark; /* NULL: none; given after the start */
  struct unwinder unwinder;
};

/* At the function that captured `captured`, which must not return while the stepper is used. */
void spgc_stepper_start(struct stepper *stepper, const unw_context_t *captured, struct stack_address base,
                        struct stacklets stacklets, bool by_recipe);

/* One step without a recipe. Fatal when there is none: the base was not reached. */
void spgc_stepper_unwind(struct stepper *stepper);

/* Sees through a barrier, if the frame's return address is one. */
void spgc_stepper_see_through(struct stepper *stepper);

/* The frame, which no live map describes, must be C: it has unwind information, and is not of a function that a live
 * map lists. */
void spgc_stepper_require_unmanaged(struct stepper *stepper);

static inline struct frame_entry *stepper_look_up(struct stepper *stepper) {
  return frame_table_find_near(stepper->frame.return_address, &stepper->recent);
}

/* The recipe of the frame before led here. `entry` is of this frame, or NULL: not found near. */
static inline void stepper_arrive(struct stepper *stepper, struct frame_entry *entry) {
  stepper->unwinder_is_here = false;
  stepper->entry = entry != NULL ? entry : stepper_look_up(stepper);
  if (stepper->entry == NULL)
    spgc_stepper_see_through(stepper);
}

/* Inline because a deep stack is little else. Most frames of a deep stack return to where the frame below does. */
static inline void stepper_advance(struct stepper *stepper) {
  struct recipe recipe = {0};
  if (stepper->by_recipe && stepper->entry != NULL)
    recipe = frame_entry_recipe(stepper->entry);
  if (recipe_kind(recipe) != RECIPE_KNOWN) {
    spgc_stepper_unwind(stepper);
    return;
  }
  recipe_apply(recipe, &stepper->frame);
  bool is_recursive = stepper->frame.return_address.word == stepper->entry->return_address.word;
  stepper_arrive(stepper, is_recursive ? stepper->entry : NULL);
}

/* Below the base, or on a stacklet above it. */
static inline bool stepper_has_frame_at(const struct stepper *stepper, uintptr_t stack_pointer) {
  return stack_pointer - stepper->base.word >= stepper->stacklets.above.word - stepper->base.word;
}

static inline bool stepper_has_frame(const struct stepper *stepper) {
  return stepper_has_frame_at(stepper, frame_stack_pointer(&stepper->frame));
}

#endif
