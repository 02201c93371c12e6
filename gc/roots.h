/* Every root: the stack's, the handles', the registered modules'. */
#ifndef SPGC_GC_ROOTS_H
#define SPGC_GC_ROOTS_H

#include "gc/mutator/safepoint.h"
#include "gc/trace/evacuate.h"
#include "heap/check.h"
#include "spgc/stackwalk.h"

/* Which frames hold what is condemned. Survivors are old, so after a collection no frame refers to
 * a young object, and one that was not resumed since still does not. */
enum spgc_frames {
  SPGC_FRAMES_ALL,
  SPGC_FRAMES_RESUMED, /* entered or resumed since they were last forwarded: enough when only young
                          objects move */
};

/* Tells a speculation what the roots refer to; with the same `frames`, spgc_roots_forward meets the
 * same roots then. */
void spgc_roots_reach(struct spgc_stopped_world world, enum spgc_frames frames,
                      struct spgc_evacuation *evacuation);

/* Forwards what the roots refer to, and the roots. */
void spgc_roots_forward(struct spgc_stopped_world world, enum spgc_frames frames,
                        struct spgc_evacuation *evacuation, struct spgc_walk_counts *counts);

/* Marks what the roots refer to, which is old. */
void spgc_roots_mark(struct spgc_stopped_world world, struct spgc_marker *marker);

/* Whether every root leads to the start of an object, and no frame that a minor collection would
 * leave out to a young one, after spgc_check_heap succeeded. */
enum spgc_result spgc_roots_check(struct spgc_stopped_world world, const struct spgc_check *check,
                                  struct spgc_error *error);

#endif
