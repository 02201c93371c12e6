/* From each frame of a suspended stack to the next one out.
 *
 *    higher addresses
 *   +------------------------+ <- base: the walk ends at the first frame whose stack pointer
 * reaches it | C frame                |   call frame information
 *   +------------------------+
 *   | managed frame          |   unwind plan
 *   | managed frame          |   unwind plan
 *   +------------------------+
 *   | C frame                |   call frame information, or libunwind, handed over to in the middle
 * of the stack
 *   +------------------------+
 *   | spgc_stack_suspend     |   saved every callee-saved register
 *   +------------------------+ <- lowest
 *
 * Return addresses that barriers replace (return_barrier.h) are seen through. With a watermark the
 * walk ends where that is reached, at the first frame that was not resumed.
 *
 * A stepper with `by_recipe` crosses managed frames by their unwind plans (unwind plan.h), all
 * others by their call frame information (call_frame.h), learning the unwind plans not known yet;
 * what is left goes to libunwind. One without leaves every step to libunwind: the reference.
 */
#ifndef SPGC_STACKWALK_STEPPER_H
#define SPGC_STACKWALK_STEPPER_H

#include "stackwalk/call_frame.h"
#include "stackwalk/frame_table.h"
#include "stackwalk/stacklets.h"
#include "stackwalk/unwinder.h"
#include "stackwalk/walk.h"
#include "stackwalk/watermark.h"

struct stepper {
  struct suspended_frame frame;   /* where the stepper is */
  struct frame_entry *entry;      /* of that frame; NULL: no live map describes it */
  const struct frame_map *recent; /* where the last entry was found */
  bool by_unwind_plan;
  bool unwinder_is_here; /* the unwinder is at `frame`; otherwise it was left behind further in */
  bool is_interrupted;   /* a signal interrupted `frame`: it does not wait for a call to return, so
                            that its address is   not one behind the instruction meant; the unwinder,
                            which knows, is here */
  bool reached_watermark;
  struct stack_address base;  /* the frame's stack pointer once the watermark is reached */
  struct stack_address limit; /* of the stack: above nothing is read */
  struct stacklets stacklets;
  struct spgc_watermark *watermark; /* NULL: none */
  struct return_address ruled;      /* `rules` are for frames of this return address; 0: none */
  struct call_frame rules;
  struct unwinder unwinder;
};

/* At the frame that suspended the stack, and through a barrier. */
void spgc_stepper_start(struct stepper *stepper, const struct spgc_suspended_stack *stack,
                        struct spgc_watermark *watermark, bool by_unwind_plan);

/* One step without a unwind plan. Fatal when there is none: the base was not reached. */
void spgc_stepper_unwind(struct stepper *stepper);

/* Sees through a barrier, if the frame's return address is one. */
void spgc_stepper_see_through(struct stepper *stepper);

/* The function around the frame, which no live map describes. Fatal when there is no unwind
 * information. */
struct unwinder_function spgc_stepper_function(struct stepper *stepper);

/* The frame, which no live map describes, must be C: it has unwind information, and is not of a
 * function that a live map lists. */
void spgc_stepper_require_unmanaged(struct stepper *stepper);

static inline struct frame_entry *stepper_look_up(struct stepper *stepper) {
  return frame_table_find_near(stepper->frame.return_address, &stepper->recent);
}

/* The unwind plan of the frame before led here. `entry` is of this frame, or NULL: not found near.
 */
static inline void stepper_arrive(struct stepper *stepper, struct frame_entry *entry) {
  stepper->unwinder_is_here = false;
  stepper->entry = entry != NULL ? entry : stepper_look_up(stepper);
  if (stepper->entry == NULL)
    spgc_stepper_see_through(stepper);
}

/* Inline because a deep stack is little else. Most frames of a deep stack return to where the frame
 * below does. */
static inline void stepper_advance(struct stepper *stepper) {
  struct unwind_plan unwind_plan = {0};
  if (stepper->by_unwind_plan && stepper->entry != NULL)
    unwind_plan = frame_entry_unwind_plan(stepper->entry);
  if (unwind_plan_kind(unwind_plan) != UNWIND_PLAN_KNOWN) {
    spgc_stepper_unwind(stepper);
    return;
  }
  unwind_plan_apply(unwind_plan, &stepper->frame);
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
