/* How to step out of a frame without unwind information: one word for each return address.
 *
 *    63         48 47  40 39     8 7    0
 *   +-------------+------+- ... -+------+                      canonical frame address - 8: the return address
 *   | frame words | -56  |       | -16  |                                             - 16: a saved register
 *   +-------------+------+- ... -+------+                                             ...
 *
 * `frame words` is the distance from the frame's stack pointer to its canonical frame address (the caller's stack
 * pointer after the return). A prologue pushes the registers it saves right below the return address; a byte for
 * each of those six words names the register (enum origin) whose value in the caller is there. ORIGIN_FRAME_POINTER
 * stands for a word that holds none: it is scratch between visits, so every word is treated alike. A frame that saved a
 * register elsewhere has no recipe.
 *
 * A recipe is observed, not believed: the first time a frame of the return address is met, libunwind steps out of it,
 * and what changed is the recipe, provided the distance is the one the stack map gives. The map gives one only where
 * the frame has the same size each time, and unwind rules are a function of the address, so what held once holds
 * always.
 */
#ifndef SPGC_STACKWALK_RECIPE_H
#define SPGC_STACKWALK_RECIPE_H

#include <stdint.h>

#include "stackwalk/suspended_frame.h"

enum recipe_kind {
  RECIPE_UNKNOWN, /* not observed yet */
  RECIPE_NONE,    /* libunwind steps out of the frame each time */
  RECIPE_KNOWN,   /* everything else: a frame has at least one word, its return address */
};

enum {
  RECIPE_ORIGIN_BITS = 8,
  RECIPE_FRAME_SHIFT = 48,
  RECIPE_FRAME_WORDS = UINT16_MAX,
  RECIPE_FIRST_SAVED = 2, /* words below the canonical frame address */
};

_Static_assert(CALLEE_SAVED_REGISTERS *RECIPE_ORIGIN_BITS == RECIPE_FRAME_SHIFT, "registers and frame fill the word");

struct recipe {
  uint64_t word;
};

static inline enum recipe_kind recipe_kind(struct recipe recipe) {
  return recipe.word < RECIPE_KNOWN ? (enum recipe_kind)recipe.word : RECIPE_KNOWN;
}

/* What a frame of this size, in bytes without the return address, starts with: unknown, or none for a size that varies.
 */
struct recipe spgc_recipe_initial(uint64_t stack_size);

/* From a frame and its caller, as libunwind reports them. Unknown when they do not tell. */
struct recipe spgc_recipe_observe(uint64_t stack_size, const struct suspended_frame *frame,
                                  const struct suspended_frame *outer);

/* Replaces the frame by its caller. The recipe must be a known one. */
static inline void recipe_apply(struct recipe recipe, struct suspended_frame *frame) {
  uintptr_t outer = frame_stack_pointer(frame) + (recipe.word >> RECIPE_FRAME_SHIFT) * WORD_SIZE;
  uint64_t origins = recipe.word;
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++, origins >>= RECIPE_ORIGIN_BITS)
    frame->origins[(uint8_t)origins].word = outer - (uintptr_t)(RECIPE_FIRST_SAVED + i) * WORD_SIZE;
  frame->return_address.word = *(const uintptr_t *)(outer - WORD_SIZE);
  frame->origins[ORIGIN_STACK_POINTER].word = outer;
}

#endif
