/* Steps out of a frame without unwind information, by 32 bits kept for each return address.
 *
 *    31         18 17 15       2   0
 *   +-------------+-----+- ... -+-----+     canonical frame address -  8: the return address
 *   | frame words | -56 |       | -16 |                             - 16: a saved register
 *   +-------------+-----+- ... -+-----+                               ...
 *
 * `frame words` is the distance from the frame's stack pointer to its canonical frame address (the
 * caller's stack pointer after the return). A prologue pushes registers right below the return
 * address. Three bits for each of those six words name the register (enum origin) there.
 * ORIGIN_FRAME_POINTER stands for none: that origin is scratch between visits, so all six words are
 * treated alike. A frame that saved a register elsewhere has no unwind plan.
 *
 * An unwind plan is observed, not assumed (docs/stackwalk.md, "Stepping out of a frame"). Until
 * then the word is UNWIND_PLAN_NONE, or UNWIND_PLAN_UNKNOWN and the expected frame words. */
#ifndef SPGC_STACKWALK_X86_64_UNWIND_PLAN_H
#define SPGC_STACKWALK_X86_64_UNWIND_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "stackwalk/x86_64/return_place.h"

enum unwind_plan_kind {
  UNWIND_PLAN_NONE, /* every step uses unwind information */
  UNWIND_PLAN_UNKNOWN,
  UNWIND_PLAN_KNOWN,
};

enum {
  UNWIND_PLAN_ORIGIN_BITS = 3,
  UNWIND_PLAN_ORIGIN_MASK = (1 << UNWIND_PLAN_ORIGIN_BITS) - 1,
  UNWIND_PLAN_FRAME_SHIFT = CALLEE_SAVED_REGISTERS * UNWIND_PLAN_ORIGIN_BITS,
  UNWIND_PLAN_ORIGINS = (1 << UNWIND_PLAN_FRAME_SHIFT) - 1,
  UNWIND_PLAN_FRAME_WORDS = (1 << (32 - UNWIND_PLAN_FRAME_SHIFT)) - 1,
  UNWIND_PLAN_FIRST_SAVED = 2, /* below the canonical frame address */
};

_Static_assert(ORIGIN_COUNT == UNWIND_PLAN_ORIGIN_MASK + 1, "every origin has its bits");
_Static_assert((int)ORIGIN_FRAME_POINTER == (int)UNWIND_PLAN_ORIGIN_MASK,
               "all bits: nothing is saved");
_Static_assert(UNWIND_PLAN_FRAME_WORDS < 1 << UNWIND_PLAN_FRAME_SHIFT,
               "the words of a frame not observed are no unwind plan");

struct unwind_plan {
  uint32_t word;
};

static inline enum unwind_plan_kind unwind_plan_kind(struct unwind_plan unwind_plan) {
  if (unwind_plan.word >> UNWIND_PLAN_FRAME_SHIFT != 0) /* a frame has at least a return address */
    return UNWIND_PLAN_KNOWN;
  return unwind_plan.word != 0 ? UNWIND_PLAN_UNKNOWN : UNWIND_PLAN_NONE;
}

/* Unknown, or none if the size in bytes varies or is too large. */
struct unwind_plan spgc_unwind_plan_initial(uint64_t stack_size);

/* Still unknown if the frames, both found by unwind information, do not show it. */
struct unwind_plan spgc_unwind_plan_observe(struct unwind_plan unknown,
                                            const struct suspended_frame *frame,
                                            const struct suspended_frame *outer);

/* Here and below, the plan must be known. */
static inline uintptr_t unwind_plan_outer_pointer(struct unwind_plan unwind_plan,
                                                  uintptr_t stack_pointer) {
  return stack_pointer + (uintptr_t)(unwind_plan.word >> UNWIND_PLAN_FRAME_SHIFT) * WORD_SIZE;
}

static inline struct return_address unwind_plan_return_address(struct unwind_plan unwind_plan,
                                                               uintptr_t outer_pointer) {
  return (struct return_address){*(const uintptr_t *)(outer_pointer - WORD_SIZE)};
}

/* Sets the frame to which the plan leads, except its registers. */
static inline void unwind_plan_arrive(struct unwind_plan unwind_plan, uintptr_t outer_pointer,
                                      struct return_address return_address,
                                      struct suspended_frame *frame) {
  frame->return_address = return_address;
  frame->origins[ORIGIN_STACK_POINTER].word = outer_pointer;
}

/* Relative to the caller's stack pointer; or 0. */
static inline intptr_t unwind_plan_saved_at(struct unwind_plan unwind_plan, enum origin origin) {
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++)
    if ((unwind_plan.word >> i * UNWIND_PLAN_ORIGIN_BITS & UNWIND_PLAN_ORIGIN_MASK) ==
        (uint32_t)origin)
      return -(intptr_t)(UNWIND_PLAN_FIRST_SAVED + i) * WORD_SIZE;
  return 0;
}

static inline bool unwind_plan_saves_registers(struct unwind_plan unwind_plan) {
  return (~unwind_plan.word & UNWIND_PLAN_ORIGINS) != 0;
}

/* The frame's places become its caller's. */
static inline void unwind_plan_apply_to_registers(struct unwind_plan unwind_plan,
                                                  uintptr_t outer_pointer,
                                                  struct suspended_frame *frame) {
  uint32_t origins = unwind_plan.word;
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++, origins >>= UNWIND_PLAN_ORIGIN_BITS)
    frame->origins[origins & UNWIND_PLAN_ORIGIN_MASK].word =
        outer_pointer - (uintptr_t)(UNWIND_PLAN_FIRST_SAVED + i) * WORD_SIZE;
}

static inline void unwind_plan_apply(struct unwind_plan unwind_plan,
                                     struct suspended_frame *frame) {
  uintptr_t outer = unwind_plan_outer_pointer(unwind_plan, frame_stack_pointer(frame));
  unwind_plan_apply_to_registers(unwind_plan, outer, frame);
  unwind_plan_arrive(unwind_plan, outer, unwind_plan_return_address(unwind_plan, outer), frame);
}

#endif
