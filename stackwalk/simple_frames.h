/* Frames whose table entries suffice: nearly all of a deep stack. */
#ifndef SPGC_STACKWALK_SIMPLE_FRAMES_H
#define SPGC_STACKWALK_SIMPLE_FRAMES_H

#include "stackwalk/stepper.h"
#include "stackwalk/walk.h"

static inline bool frame_is_simple(const struct frame_entry *entry) {
  return entry != NULL && !frame_entry_is_described(entry) &&
         unwind_plan_kind(frame_entry_unwind_plan(entry)) == UNWIND_PLAN_KNOWN;
}

/* Visits frames up to the first other one, or the base. The visitor has only `bases`, and gets
 * those of many frames together. */
void spgc_visit_simple_frames(struct walk *walk, struct stepper *stepper, uint64_t most);

#endif
