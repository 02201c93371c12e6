/* Frames older than a watermark have not been resumed since it was set (docs/stackwalk.md, "Frames
 * that were not resumed").
 *
 * Invariants: barriers are ordered oldest first. If a barrier is in place, its stub is at `place`,
 * and all older barriers are in place. (A tail call can move the running frame's stub; then no
 * younger barrier is left.)
 *
 * A walk of a blocked thread's stack uses only stubs that no live frame has, so there are twice as
 * many stubs as barriers.
 *
 * Written by walks of its stack, while its thread does not run managed code, and by that thread,
 * while no walk visits its stack. */
#ifndef SPGC_STACKWALK_WATERMARK_H
#define SPGC_STACKWALK_WATERMARK_H

#include "spgc/stackwalk.h"
#include "stackwalk/machine_frame.h"
#include "stackwalk/stack_variables.h"

enum {
  WATERMARK_BARRIERS = 16, /* at most, when a thread suspends its stack */
  WATERMARK_STUBS = 32,
  WATERMARK_FIRST_FRAME = 8,  /* that has a barrier, counted from the top */
  WATERMARK_FRAME_FACTOR = 4, /* to the next frame with a barrier */
  WATERMARK_VARIABLES = WATERMARK_BARRIERS * WATERMARK_BARRIERS,
};

struct barrier {
  unsigned stub;              /* return_barrier.h */
  struct stack_address place; /* of the return address that the stub replaces */
};

struct spgc_watermark {
  unsigned first_stub; /* the first of this watermark's WATERMARK_STUBS stubs; constant */
  uint32_t free_stubs; /* bit i: first_stub + i is not in `barriers` */
  unsigned count;
  struct barrier barriers[WATERMARK_STUBS];
  /* Of all frames older than the youngest barrier, and maybe others. */
  struct stack_variables variables;
  struct variable_run variable_runs[WATERMARK_VARIABLES];
};

/* If the barrier of this stub of the watermark is in place, younger ones are forgotten, because
 * their frames were left. */
bool spgc_watermark_is_reached(struct spgc_watermark *watermark, struct return_address stub,
                               struct stack_address place);

/* No other thread can create or destroy watermarks during a fork. */
void spgc_watermarks_lock(void);
void spgc_watermarks_unlock(void);

struct stack_address spgc_watermark_place(const struct spgc_watermark *watermark);

void spgc_watermark_reset(struct spgc_watermark *watermark);

/* Adds a barrier that is younger than all others, if a stub is free. */
void spgc_watermark_append(struct spgc_watermark *watermark, struct stack_address place);

#endif
