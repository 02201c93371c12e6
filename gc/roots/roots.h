#ifndef SPGC_GC_ROOTS_ROOTS_H
#define SPGC_GC_ROOTS_ROOTS_H

#include "gc/mutator/safepoint.h"
#include "gc/trace/evacuate.h"
#include "heap/check.h"
#include "spgc/stackwalk.h"

void spgc_roots_forward(struct spgc_stopped_world world, enum spgc_visited visited,
                        struct spgc_evacuation *evacuation, struct spgc_walk_counts *counts);

/* Nothing is young. */
void spgc_roots_mark(struct spgc_stopped_world world, struct spgc_marker *marker);

enum spgc_root_group {
  SPGC_ROOTS_IN_FRAMES, /* of a running stack, or a suspended fiber */
  SPGC_ROOTS_IN_SCOPED_HANDLES,
  SPGC_ROOTS_IN_GLOBAL_HANDLES,
  SPGC_ROOTS_IN_VARIABLES,
  SPGC_ROOTS_IN_RANGES,
};

/* Called before each group of roots; for a stack's, with the thread, and the fiber or NULL. */
struct spgc_root_reader {
  void (*group)(void *context, enum spgc_root_group group, const struct spgc_mutator *mutator,
                const struct spgc_fiber *fiber);
  struct spgc_stack_visitor frames; /* its context is for all functions */
  spgc_root_visitor others;
};

/* All frames, but no side tables. */
void spgc_roots_read(struct spgc_stopped_world world, const struct spgc_root_reader *reader);

/* Called after spgc_check_heap. No frame that a minor collection would skip may refer to a young
 * object. */
enum spgc_result spgc_roots_check(struct spgc_stopped_world world, const struct spgc_check *check,
                                  struct spgc_error *error);

/* The ranges of spgc/roots.h. The world is stopped. */
bool spgc_ranges_exist(void);

/* `what` is the range's name. */
void spgc_ranges_visit(enum spgc_nulls nulls, spgc_root_visitor visit, void *context);

#endif
