/* How to step out of a frame without unwind information: one word for each return address.
 *
 *    63            32 31      27            6    2 1     0
 *   +----------------+----------+- ... -+---------+-------+
 *   |  frame words   |  R15     |       |  RBX    | kind  |
 *   +----------------+----------+- ... -+---------+-------+
 *
 * `frame words` is the distance from the frame's stack pointer to its canonical frame address (the caller's stack
 * pointer after the return), so the return address is the word below that. A register's five bits say how many words
 * below the canonical frame address the frame saved its caller's value; 0: it left the register alone. (1 is where the
 * return address is.) A frame that does not fit has no recipe.
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
  RECIPE_UNKNOWN = 0, /* not observed yet */
  RECIPE_KNOWN = 1,
  RECIPE_NONE = 2, /* libunwind steps out of the frame each time */
};

enum {
  RECIPE_KIND_BITS = 2,
  RECIPE_REGISTER_BITS = 5,
  RECIPE_FRAME_SHIFT = 32,
  RECIPE_REGISTER_MASK = (1 << RECIPE_REGISTER_BITS) - 1,
};

_Static_assert(RECIPE_KIND_BITS + CALLEE_SAVED_REGISTERS * RECIPE_REGISTER_BITS == RECIPE_FRAME_SHIFT,
               "kind, registers and frame fill the word");

struct recipe {
  uint64_t word;
};

static inline enum recipe_kind recipe_kind(struct recipe recipe) {
  return (enum recipe_kind)(recipe.word & ((1 << RECIPE_KIND_BITS) - 1));
}

/* What a frame of this size, in bytes without the return address, starts with: unknown, or none for a size that varies.
 */
struct recipe spgc_recipe_initial(uint64_t stack_size);

/* From a frame and its caller, as libunwind reports them. Unknown when they do not tell. */
struct recipe spgc_recipe_observe(uint64_t stack_size, const struct suspended_frame *frame,
                                  const struct suspended_frame *caller);

/* Replaces the frame by its caller. The recipe must be a known one. */
static inline void recipe_apply(struct recipe recipe, struct suspended_frame *frame) {
  uintptr_t caller = frame_stack_pointer(frame) + (recipe.word >> RECIPE_FRAME_SHIFT) * WORD_SIZE;
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++) {
    uint64_t words = recipe.word >> (RECIPE_KIND_BITS + i * RECIPE_REGISTER_BITS) & RECIPE_REGISTER_MASK;
    frame->origins[i].word = words != 0 ? caller - words * WORD_SIZE : frame->origins[i].word;
  }
  frame->return_address.word = *(const uintptr_t *)(caller - WORD_SIZE);
  frame->origins[ORIGIN_STACK_POINTER].word = caller;
}

#endif
