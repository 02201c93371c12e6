#include "stackwalk/aarch64/unwind_plan.h"

static const struct unwind_plan none = {0};

struct unwind_plan spgc_unwind_plan_initial(uint64_t stack_size) {
  const uint64_t greatest = (uint64_t)UNWIND_PLAN_FRAME_PAIRS * UNWIND_PLAN_PAIR_BYTES;
  if (stack_size > greatest || stack_size % UNWIND_PLAN_PAIR_BYTES != 0)
    return none;
  return (struct unwind_plan){(uint32_t)(stack_size / UNWIND_PLAN_PAIR_BYTES)};
}

/* Counted down from the caller's stack pointer; 0 if it is not a whole word of the frame. */
static uintptr_t word_of(uintptr_t place, uintptr_t stack_pointer, uintptr_t outer) {
  bool is_inside = place >= stack_pointer && place < outer && (outer - place) % WORD_SIZE == 0;
  return is_inside ? (outer - place) / WORD_SIZE : 0;
}

/* Registers are entered in order. False if one of d8 to d15 follows an unsaved one. */
static bool name_register(struct unwind_plan *unwind_plan, unsigned origin) {
  uint32_t named = unwind_plan_registers(*unwind_plan);
  if (origin < ORIGIN_D8)
    unwind_plan->word |= UINT32_C(1) << origin;
  else
    unwind_plan->word += UINT32_C(1) << UNWIND_PLAN_NUMBERS_SHIFT;
  return unwind_plan_registers(*unwind_plan) == (named | UINT32_C(1) << origin);
}

/* False if an unwind plan cannot express it: the word is not the next, and one word is unused
 * already. */
static bool enter_register(struct unwind_plan *unwind_plan, unsigned origin, uintptr_t word,
                           unsigned *last) {
  unsigned next = unwind_plan_next_word(*unwind_plan, *last);
  bool has_unused = (unwind_plan->word >> UNWIND_PLAN_UNUSED_SHIFT & UNWIND_PLAN_UNUSED_MOST) != 0;
  if (word != next && !has_unused && next <= UNWIND_PLAN_UNUSED_MOST) {
    unwind_plan->word |= (uint32_t)next << UNWIND_PLAN_UNUSED_SHIFT;
    next = unwind_plan_next_word(*unwind_plan, *last);
  }
  *last = next;
  return word == next && name_register(unwind_plan, origin);
}

struct unwind_plan spgc_unwind_plan_observe(struct unwind_plan unknown,
                                            const struct suspended_frame *frame,
                                            const struct suspended_frame *outer) {
  uintptr_t stack_pointer = frame_stack_pointer(frame), outer_pointer = frame_stack_pointer(outer);
  uintptr_t place = frame_return_place(outer).word,
            return_word = word_of(place, stack_pointer, outer_pointer);
  if (unwind_plan_kind(unknown) == UNWIND_PLAN_NONE ||
      outer_pointer - stack_pointer != (uintptr_t)unknown.word * UNWIND_PLAN_PAIR_BYTES ||
      return_word == 0 || return_word > UNWIND_PLAN_RETURN_MOST ||
      return_address_of_word(*(const uintptr_t *)place).word != outer->return_address.word)
    return none;
  struct unwind_plan unwind_plan = {unknown.word << UNWIND_PLAN_FRAME_SHIFT |
                                    (uint32_t)return_word << UNWIND_PLAN_RETURN_SHIFT};
  unsigned last = 0;
  for (unsigned i = 0; i < PRESERVED_REGISTERS; i++) {
    uintptr_t saved = outer->origins[i].word;
    if (i < CALLEE_SAVED_REGISTERS && frame->origins[i].word == 0)
      return unknown;
    if (saved != frame->origins[i].word &&
        !enter_register(&unwind_plan, i, word_of(saved, stack_pointer, outer_pointer), &last))
      return none;
  }
  return unwind_plan;
}
