/* Usual frames: what their table entries say is all that visiting them and stepping out of them
 * takes. Nearly all of a deep stack. */
#ifndef SPGC_STACKWALK_SIMPLE_FRAMES_H
#define SPGC_STACKWALK_SIMPLE_FRAMES_H

#include "stackwalk/stepper.h"
#include "stackwalk/walk.h"

static inline bool frame_is_simple(const struct frame_entry *entry) {
  return entry != NULL && !frame_entry_is_described(entry) &&
         unwind_plan_kind(frame_entry_unwind_plan(entry)) == UNWIND_PLAN_KNOWN;
}

/* From the stepper's frame, a usual one, on to the first that is not, or the base; `most` (not 0)
 * frames at most. For visitors that see nothing of frames but their bases, and so are given those
 * of many at a time. */
void spgc_visit_simple_frames(struct walk *walk, struct stepper *stepper, uint64_t most);

#endif
