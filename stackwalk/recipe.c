#include "stackwalk/recipe.h"

#include <stdbool.h>

enum { RETURN_ADDRESS_WORDS = 1 };

static const struct recipe unknown = {RECIPE_UNKNOWN}, none = {RECIPE_NONE};

struct recipe spgc_recipe_initial(uint64_t stack_size) {
  const uint64_t greatest = (uint64_t)(UINT32_MAX - RETURN_ADDRESS_WORDS) * WORD_SIZE;
  return stack_size <= greatest && stack_size % WORD_SIZE == 0 ? unknown : none;
}

/* The five bits of one register; RECIPE_REGISTER_MASK + 1 when they cannot say it. */
static uint64_t observe_register(uintptr_t place, uintptr_t place_in_caller, uintptr_t stack_pointer,
                                 uintptr_t caller) {
  if (place == place_in_caller)
    return 0;
  uintptr_t below = caller - place_in_caller;
  bool in_frame = place_in_caller >= stack_pointer && place_in_caller < caller;
  bool fits =
      below % WORD_SIZE == 0 && below / WORD_SIZE > RETURN_ADDRESS_WORDS && below / WORD_SIZE <= RECIPE_REGISTER_MASK;
  return in_frame && fits ? below / WORD_SIZE : RECIPE_REGISTER_MASK + 1;
}

struct recipe spgc_recipe_observe(uint64_t stack_size, const struct suspended_frame *frame,
                                  const struct suspended_frame *outer) {
  uintptr_t stack_pointer = frame_stack_pointer(frame), caller = frame_stack_pointer(outer);
  if (caller - stack_pointer != stack_size + RETURN_ADDRESS_WORDS * WORD_SIZE ||
      *(const uintptr_t *)(caller - WORD_SIZE) != outer->return_address.word)
    return none;
  uint64_t words = (caller - stack_pointer) / WORD_SIZE;
  struct recipe recipe = {words << RECIPE_FRAME_SHIFT | RECIPE_KNOWN};
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++) {
    if (frame->origins[i].word == 0)
      return unknown;
    uint64_t bits = observe_register(frame->origins[i].word, outer->origins[i].word, stack_pointer, caller);
    if (bits > RECIPE_REGISTER_MASK)
      return none;
    recipe.word |= bits << (RECIPE_KIND_BITS + i * RECIPE_REGISTER_BITS);
  }
  return recipe;
}
