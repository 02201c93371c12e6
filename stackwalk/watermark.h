/* A mark on a thread's stack: the frames older than it have not been resumed since it was set.
 *
 *    higher addresses
 *   +--------------+
 *   | never left   | <- barrier 0, set long ago
 *   |              |
 *   |              | <- barrier 1           a walk of the resumed frames ends at the youngest
 * barrier that is still in
 *   +--------------+ <- barrier 2           place, here 2, and sets new ones on the frames it met
 *   | resumed, or  | <- (barrier 3: its frame was left, by a return, an exception or longjmp)
 *   | entered anew |
 *   +--------------+
 *
 * The distances between barriers grow with the distance from the top of the stack, so that a walk
 * meets at most a few times as many frames as were resumed, and a stack of any depth needs few
 * barriers. They are hit a few times for each walk.
 *
 * Invariants: barriers are ordered oldest first; one that is still in place is at its `place`, and
 * those older are, too (a tail call may move the return address of a running frame only, and then
 * no barrier is left that is younger).
 *
 * A thread outside the collector's world may unwind its stack in C while a walk sets marks on it:
 * an exception, or a profiler. An unwinder that has read a stub's address reads it again, and then
 * the original. So a walk only sets barriers, with stubs that no live frame has; those in place
 * stay until the thread itself takes some away. There are twice as many stubs as barriers are kept
 * then, so that walks find enough.
 *
 * Who writes, and when: walks of the stack the watermark is for, while its thread does not run
 * managed code; that thread, while nobody walks its stack.
 */
#ifndef SPGC_STACKWALK_WATERMARK_H
#define SPGC_STACKWALK_WATERMARK_H

#include "spgc/stackwalk.h"
#include "stackwalk/machine_frame.h"
#include "stackwalk/stack_variables.h"

enum {
  WATERMARK_BARRIERS = 16, /* in place at most when a thread suspends its stack */
  WATERMARK_STUBS = 32,
  WATERMARK_FIRST_FRAME =
      8, /* the youngest frame, counted from the top of the stack, that a barrier is set for */
  WATERMARK_FRAME_FACTOR = 4, /* from there to the next */
};

struct barrier {
  unsigned stub;              /* return_barrier.h */
  struct stack_address place; /* of the return address it replaces */
};

struct spgc_watermark {
  unsigned first_stub; /* of the WATERMARK_STUBS that are this watermark's; constant */
  uint32_t free_stubs; /* bit i: first_stub + i is not in `barriers` */
  unsigned count;
  struct barrier barriers[WATERMARK_STUBS];
  struct stack_variables variables; /* of all frames older than the youngest barrier, and more */
};

/* A frame returns to the stub at `place`: true when it is this watermark's. The barrier is still in
 * place then; younger ones are forgotten, for their frames were left. */
bool spgc_watermark_is_reached(struct spgc_watermark *watermark, struct return_address stub,
                               struct stack_address place);

/* No watermark is created or destroyed in between: for fork. */
void spgc_watermarks_lock(void);
void spgc_watermarks_unlock(void);

/* Of a watermark that a walk has just reached: the place of the barrier it met. */
struct stack_address spgc_watermark_place(const struct spgc_watermark *watermark);

/* No barrier is in place. */
void spgc_watermark_reset(struct spgc_watermark *watermark);

/* Sets a barrier younger than all others, on the return address at `place`. Does nothing when no
 * stub is free. */
void spgc_watermark_append(struct spgc_watermark *watermark, struct stack_address place);

#endif
