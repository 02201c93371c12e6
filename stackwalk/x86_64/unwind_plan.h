/* How to step out of a frame without unwind information: half a word for each return address.
 *
 *    31         18 17 15       2   0
 *   +-------------+-----+- ... -+-----+                        canonical frame address - 8: the return address
 *   | frame words | -56 |       | -16 |                                               - 16: a saved register
 *   +-------------+-----+- ... -+-----+                                               ...
 *
 * `frame words` is the distance from the frame's stack pointer to its canonical frame address (the caller's stack
 * pointer after the return). A prologue pushes the registers it saves right below the return address; three bits for
 * each of those six words names the register (enum origin) whose value in the caller is there. ORIGIN_FRAME_POINTER
 * stands for a word that holds none: it is scratch between visits, so every word is treated alike. A frame that saved a
 * register elsewhere has no recipe.
 *
 * A recipe is observed, not believed: the first time a frame of the return address is met, it is stepped out of
 * without, and what changed is the recipe, provided the distance is the one the stack map gives. The map gives one only
 * where the frame has the same size each time, and unwind rules are a function of the address, so what held once holds
 * always. Until then the word is less than any recipe: RECIPE_NONE, or RECIPE_UNKNOWN and the expected frame words.
 */
#ifndef SPGC_STACKWALK_X86_64_UNWIND_PLAN_H
#define SPGC_STACKWALK_X86_64_UNWIND_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "stackwalk/suspended_frame.h"

enum recipe_kind {
  RECIPE_NONE,    /* the frame is stepped out of by its unwind information each time */
  RECIPE_UNKNOWN, /* not observed yet */
  RECIPE_KNOWN,
};

enum {
  RECIPE_ORIGIN_BITS = 3,
  RECIPE_ORIGIN_MASK = (1 << RECIPE_ORIGIN_BITS) - 1,
  RECIPE_FRAME_SHIFT = CALLEE_SAVED_REGISTERS * RECIPE_ORIGIN_BITS,
  RECIPE_ORIGINS = (1 << RECIPE_FRAME_SHIFT) - 1,
  RECIPE_FRAME_WORDS = (1 << (32 - RECIPE_FRAME_SHIFT)) - 1,
  RECIPE_FIRST_SAVED = 2, /* words below the canonical frame address */
};

_Static_assert(ORIGIN_COUNT == RECIPE_ORIGIN_MASK + 1, "every origin has its bits");
_Static_assert((int)ORIGIN_FRAME_POINTER == (int)RECIPE_ORIGIN_MASK, "all bits: nothing is saved");
_Static_assert(RECIPE_FRAME_WORDS < 1 << RECIPE_FRAME_SHIFT, "the words of a frame not observed are no recipe");

struct recipe {
  uint32_t word;
};

static inline enum recipe_kind recipe_kind(struct recipe recipe) {
  if (recipe.word >> RECIPE_FRAME_SHIFT != 0) /* a frame has at least one word, its return address */
    return RECIPE_KNOWN;
  return recipe.word != 0 ? RECIPE_UNKNOWN : RECIPE_NONE;
}

/* What a frame of this size, in bytes without the return address, starts with: unknown; none for a size that varies or
 * is too large. */
struct recipe spgc_recipe_initial(uint64_t stack_size);

/* From a frame and its caller, as unwind information leads there. Still the unknown one when they do not tell. */
struct recipe spgc_recipe_observe(struct recipe unknown, const struct suspended_frame *frame,
                                  const struct suspended_frame *outer);

/* The caller's stack pointer after the return. The recipe, here and below, must be a known one. */
static inline uintptr_t recipe_outer_pointer(struct recipe recipe, uintptr_t stack_pointer) {
  return stack_pointer + (uintptr_t)(recipe.word >> RECIPE_FRAME_SHIFT) * WORD_SIZE;
}

static inline struct return_address recipe_return_address(uintptr_t outer_pointer) {
  return (struct return_address){*(const uintptr_t *)(outer_pointer - WORD_SIZE)};
}

/* Whether the caller's registers are in other places than the frame's. */
static inline bool recipe_saves_registers(struct recipe recipe) {
  return (~recipe.word & RECIPE_ORIGINS) != 0;
}

/* Replaces the places of the frame's registers by those of its caller's. */
static inline void recipe_apply_to_registers(struct recipe recipe, uintptr_t outer_pointer,
                                             struct suspended_frame *frame) {
  uint32_t origins = recipe.word;
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++, origins >>= RECIPE_ORIGIN_BITS)
    frame->origins[origins & RECIPE_ORIGIN_MASK].word = outer_pointer - (uintptr_t)(RECIPE_FIRST_SAVED + i) * WORD_SIZE;
}

/* Replaces the frame by its caller. */
static inline void recipe_apply(struct recipe recipe, struct suspended_frame *frame) {
  uintptr_t outer = recipe_outer_pointer(recipe, frame_stack_pointer(frame));
  recipe_apply_to_registers(recipe, outer, frame);
  frame->return_address = recipe_return_address(outer);
  frame->origins[ORIGIN_STACK_POINTER].word = outer;
}

#endif
