/* Steps through a suspended stack, from the innermost frame to the first whose stack pointer
 * reaches the base, or with a watermark to the youngest barrier in place. It sees through barriers
 * (return_barrier.h).
 *
 * With `by_unwind_plan`, it crosses managed frames by their unwind plans (unwind_plan.h), which it
 * learns, and others by call frame information (call_frame.h), or libunwind if that fails.
 * Otherwise libunwind makes every step, as the reference. */
#ifndef SPGC_STACKWALK_STEPPER_H
#define SPGC_STACKWALK_STEPPER_H

#include "stackwalk/call_frame.h"
#include "stackwalk/frame_table.h"
#include "stackwalk/missing_maps.h"
#include "stackwalk/stacklets.h"
#include "stackwalk/unwinder.h"
#include "stackwalk/walk.h"
#include "stackwalk/watermark.h"

struct stepper {
  struct suspended_frame frame;
  struct frame_entry *entry;      /* NULL: no live map describes the frame */
  const struct frame_map *recent; /* the map of the last entry, searched first */
  bool by_unwind_plan;
  bool unwinder_is_here; /* at `frame`, not further in */
  bool is_interrupted; /* a signal interrupted `frame`, so its address is not one after a call; only
                          the unwinder knows such frames, so it is here */
  bool reached_watermark;
  struct return_address inner; /* the last frame left without an unwind plan */
  struct stack_address
      base; /* becomes the frame's stack pointer at the watermark, which ends the walk */
  struct stack_address limit; /* nothing above it is read */
  struct stacklets stacklets;
  struct spgc_watermark *watermark;
  struct asked_files asked;
  struct return_address ruled; /* the return address of `rules`, or 0 */
  struct call_frame rules;
  struct unwinder unwinder;
};

/* Sees through a barrier at the first frame. */
void spgc_stepper_start(struct stepper *stepper, const struct spgc_suspended_stack *stack,
                        struct spgc_watermark *watermark, bool by_unwind_plan);

/* Fatal if that is impossible. */
void spgc_stepper_unwind(struct stepper *stepper);

/* Replaces a barrier's return address by the original. */
void spgc_stepper_see_through(struct stepper *stepper);

/* For a frame that no live map describes. Fatal without unwind information. */
struct unwinder_function spgc_stepper_function(struct stepper *stepper);

/* For a frame that no live map describes. If its maps were missing (missing_maps.h), sets `entry`.
 * Otherwise it must be C, with unwind information, and in no function of a live map. */
void spgc_stepper_identify(struct stepper *stepper);

static inline struct frame_entry *stepper_look_up(struct stepper *stepper) {
  return frame_table_find_near(stepper->frame.return_address, &stepper->recent);
}

/* The previous frame's unwind plan led here. `entry` may be NULL. */
static inline void stepper_arrive(struct stepper *stepper, struct frame_entry *entry) {
  stepper->unwinder_is_here = false;
  stepper->entry = entry != NULL ? entry : stepper_look_up(stepper);
  if (stepper->entry == NULL)
    spgc_stepper_see_through(stepper);
}

/* Inline, because a walk of a deep stack does little else. Most frames there have one return
 * address. */
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

static inline bool stepper_has_frame_at(const struct stepper *stepper, uintptr_t stack_pointer) {
  return stack_pointer - stepper->base.word >= stepper->stacklets.above.word - stepper->base.word;
}

static inline bool stepper_has_frame(const struct stepper *stepper) {
  return stepper_has_frame_at(stepper, frame_stack_pointer(&stepper->frame));
}

#endif
