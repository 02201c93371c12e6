#include "stackwalk/x86_64/unwind_plan.h"

#include <stdbool.h>

static const struct unwind_plan none = {0};

struct unwind_plan spgc_unwind_plan_initial(uint64_t stack_size) {
  const uint64_t greatest = (uint64_t)(UNWIND_PLAN_FRAME_WORDS - 1) * WORD_SIZE;
  if (stack_size > greatest || stack_size % WORD_SIZE != 0)
    return none;
  return (struct unwind_plan){(uint32_t)(stack_size / WORD_SIZE + 1)};
}

static uint32_t origin_at(unsigned saved, enum origin origin) {
  return (uint32_t)origin << saved * UNWIND_PLAN_ORIGIN_BITS;
}

/* False if the place is not one of the frame's first words, or another register was saved there. */
static bool enter_register(struct unwind_plan *unwind_plan, enum origin origin, uintptr_t place,
                           uintptr_t stack_pointer, uintptr_t outer) {
  uintptr_t below = outer - place;
  if (place < stack_pointer || place >= outer || below % WORD_SIZE != 0 ||
      below / WORD_SIZE < UNWIND_PLAN_FIRST_SAVED ||
      below / WORD_SIZE >= UNWIND_PLAN_FIRST_SAVED + CALLEE_SAVED_REGISTERS)
    return false;
  unsigned saved = (unsigned)(below / WORD_SIZE - UNWIND_PLAN_FIRST_SAVED);
  uint32_t no_register = origin_at(saved, ORIGIN_FRAME_POINTER);
  if ((unwind_plan->word & no_register) != no_register)
    return false;
  unwind_plan->word = (unwind_plan->word & ~no_register) | origin_at(saved, origin);
  return true;
}

struct unwind_plan spgc_unwind_plan_observe(struct unwind_plan unknown,
                                            const struct suspended_frame *frame,
                                            const struct suspended_frame *outer) {
  uintptr_t stack_pointer = frame_stack_pointer(frame), outer_pointer = frame_stack_pointer(outer);
  if (unwind_plan_kind(unknown) == UNWIND_PLAN_NONE ||
      outer_pointer - stack_pointer != (uintptr_t)unknown.word * WORD_SIZE ||
      *(const uintptr_t *)(outer_pointer - WORD_SIZE) != outer->return_address.word)
    return none;
  struct unwind_plan unwind_plan = {unknown.word << UNWIND_PLAN_FRAME_SHIFT};
  for (unsigned saved = 0; saved < CALLEE_SAVED_REGISTERS; saved++)
    unwind_plan.word |= origin_at(saved, ORIGIN_FRAME_POINTER);
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++) {
    uintptr_t place = outer->origins[i].word;
    if (frame->origins[i].word == 0)
      return unknown;
    if (place != frame->origins[i].word &&
        !enter_register(&unwind_plan, (enum origin)i, place, stack_pointer, outer_pointer))
      return none;
  }
  return unwind_plan;
}
