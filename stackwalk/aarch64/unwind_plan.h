/* Steps out of a frame without unwind information, by 32 bits kept for each return address.
 *
 *    31         23 22    19 18          15 14     11 10         0    canonical
 *   +-------------+--------+--------------+---------+-------------+   frame address -  8: x19
 *   | frame pairs | unused | return place | numbers | x29 ... x19 |                 - 16: x20
 *   +-------------+--------+--------------+---------+-------------+                 - 24: unused
 *                                                                                   - 32: x21
 *                                                                                   - 40: x30
 *                                                                                   - 48: x29
 *                                                                                   - 56: d8
 *                                                                                   - 64: d9
 *
 * `frame pairs` is the distance from the frame's stack pointer to its canonical frame address (the
 * caller's stack pointer after the return), in the 16 bytes to which the stack is aligned. `return
 * place` is the word of x30: 1 is the first below that address. The other registers are in the
 * order of their numbers from the first word down, skipping the return place and the `unused` word,
 * which may keep the stack aligned (0: none): general ones whose bit is set, then `numbers` of d8
 * to d15. On the right is the frame of a function that saves x19 to x21, the frame pointer, x30, d8
 * and d9. A frame that saved a register elsewhere has no unwind plan.
 *
 * An unwind plan is observed (x86_64/unwind_plan.h, which also describes the functions). Until then
 * the word is UNWIND_PLAN_NONE, or UNWIND_PLAN_UNKNOWN and the expected frame pairs. */
#ifndef SPGC_STACKWALK_AARCH64_UNWIND_PLAN_H
#define SPGC_STACKWALK_AARCH64_UNWIND_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "stackwalk/aarch64/return_place.h"

enum unwind_plan_kind {
  UNWIND_PLAN_NONE, /* every step uses unwind information */
  UNWIND_PLAN_UNKNOWN,
  UNWIND_PLAN_KNOWN,
};

enum {
  UNWIND_PLAN_GENERAL = (1 << CALLEE_SAVED_REGISTERS) - 1,
  UNWIND_PLAN_NUMBERS_SHIFT = CALLEE_SAVED_REGISTERS,
  UNWIND_PLAN_NUMBERS_MASK = 15,
  UNWIND_PLAN_RETURN_SHIFT = UNWIND_PLAN_NUMBERS_SHIFT + 4,
  UNWIND_PLAN_RETURN_MOST = 15,
  UNWIND_PLAN_UNUSED_SHIFT = UNWIND_PLAN_RETURN_SHIFT + 4,
  UNWIND_PLAN_UNUSED_MOST = 15,
  UNWIND_PLAN_FRAME_SHIFT = UNWIND_PLAN_UNUSED_SHIFT + 4,
  UNWIND_PLAN_FRAME_PAIRS = (1 << (32 - UNWIND_PLAN_FRAME_SHIFT)) - 1,
  UNWIND_PLAN_PAIR_BYTES = 2 * WORD_SIZE,
};

_Static_assert(UNWIND_PLAN_FRAME_PAIRS < 1 << UNWIND_PLAN_FRAME_SHIFT,
               "the pairs of a frame not observed are no unwind plan");

struct unwind_plan {
  uint32_t word;
};

static inline enum unwind_plan_kind unwind_plan_kind(struct unwind_plan unwind_plan) {
  if (unwind_plan.word >> UNWIND_PLAN_FRAME_SHIFT != 0) /* a frame has at least a return address */
    return UNWIND_PLAN_KNOWN;
  return unwind_plan.word != 0 ? UNWIND_PLAN_UNKNOWN : UNWIND_PLAN_NONE;
}

struct unwind_plan spgc_unwind_plan_initial(uint64_t stack_size);

struct unwind_plan spgc_unwind_plan_observe(struct unwind_plan unknown,
                                            const struct suspended_frame *frame,
                                            const struct suspended_frame *outer);

/* Here and below, the plan must be known. */
static inline uintptr_t unwind_plan_outer_pointer(struct unwind_plan unwind_plan,
                                                  uintptr_t stack_pointer) {
  return stack_pointer +
         (uintptr_t)(unwind_plan.word >> UNWIND_PLAN_FRAME_SHIFT) * UNWIND_PLAN_PAIR_BYTES;
}

/* Words are numbered from 1, down from the caller's stack pointer. */
static inline unsigned unwind_plan_return_word(struct unwind_plan unwind_plan) {
  return unwind_plan.word >> UNWIND_PLAN_RETURN_SHIFT & UNWIND_PLAN_RETURN_MOST;
}

static inline struct return_address unwind_plan_return_address(struct unwind_plan unwind_plan,
                                                               uintptr_t outer_pointer) {
  uintptr_t place = outer_pointer - (uintptr_t)unwind_plan_return_word(unwind_plan) * WORD_SIZE;
  return return_address_of_word(*(const uintptr_t *)place);
}

/* All but x30, by enum origin. */
static inline uint32_t unwind_plan_registers(struct unwind_plan unwind_plan) {
  unsigned numbers = unwind_plan.word >> UNWIND_PLAN_NUMBERS_SHIFT & UNWIND_PLAN_NUMBERS_MASK;
  return (unwind_plan.word & UNWIND_PLAN_GENERAL) | ((UINT32_C(1) << numbers) - 1) << ORIGIN_D8;
}

static inline unsigned unwind_plan_next_word(struct unwind_plan unwind_plan, unsigned word) {
  unsigned unused = unwind_plan.word >> UNWIND_PLAN_UNUSED_SHIFT & UNWIND_PLAN_UNUSED_MOST;
  do
    word++;
  while (word == unused || word == unwind_plan_return_word(unwind_plan));
  return word;
}

static inline void unwind_plan_arrive(struct unwind_plan unwind_plan, uintptr_t outer_pointer,
                                      struct return_address return_address,
                                      struct suspended_frame *frame) {
  frame->return_address = return_address;
  frame->origins[ORIGIN_STACK_POINTER].word = outer_pointer;
  frame_set_return_place(frame, -(int64_t)unwind_plan_return_word(unwind_plan) * WORD_SIZE);
}

static inline intptr_t unwind_plan_saved_at(struct unwind_plan unwind_plan, enum origin origin) {
  uint32_t registers = unwind_plan_registers(unwind_plan);
  unsigned word = 0;
  if ((registers >> origin & 1) == 0)
    return 0;
  for (unsigned i = 0; i <= (unsigned)origin; i++)
    if ((registers >> i & 1) != 0)
      word = unwind_plan_next_word(unwind_plan, word);
  return -(intptr_t)word * WORD_SIZE;
}

static inline bool unwind_plan_saves_registers(struct unwind_plan unwind_plan) {
  const uint32_t numbers = UNWIND_PLAN_NUMBERS_MASK << UNWIND_PLAN_NUMBERS_SHIFT;
  return (unwind_plan.word & (UNWIND_PLAN_GENERAL | numbers)) != 0;
}

static inline void unwind_plan_apply_to_registers(struct unwind_plan unwind_plan,
                                                  uintptr_t outer_pointer,
                                                  struct suspended_frame *frame) {
  unsigned word = 0;
  for (uint32_t left = unwind_plan_registers(unwind_plan); left != 0; left &= left - 1) {
    word = unwind_plan_next_word(unwind_plan, word);
    frame->origins[__builtin_ctz(left)].word = outer_pointer - (uintptr_t)word * WORD_SIZE;
  }
}

static inline void unwind_plan_apply(struct unwind_plan unwind_plan,
                                     struct suspended_frame *frame) {
  uintptr_t outer = unwind_plan_outer_pointer(unwind_plan, frame_stack_pointer(frame));
  unwind_plan_apply_to_registers(unwind_plan, outer, frame);
  unwind_plan_arrive(unwind_plan, outer, unwind_plan_return_address(unwind_plan, outer), frame);
}

#endif
