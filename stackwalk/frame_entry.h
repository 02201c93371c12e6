/* What walkers need of one return address in the usual case, on one cache line.
 *
 * A root here is one word: it lies `offset` bytes from one of the frame's origins (suspended_frame.h). Offsets are
 * multiples of a word, and the origin is in the bits that leaves free:
 *
 *   root = offset | origin        the address = origins[root & 7] + (root & ~7)
 *
 * Equations, when `roots_complete`: the first `register_roots` roots are in saved registers, the others in slots;
 * root_count = their sum = the words of all bases; there are no derived locations. Otherwise the description says.
 *
 * Who writes, and when: registration and unregistration, while no thread walks; but `recipe` is written by walkers, too
 * (relaxed: one word is one whole answer, and two walkers write the same).
 */
#ifndef SPGC_STACKWALK_FRAME_ENTRY_H
#define SPGC_STACKWALK_FRAME_ENTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stackwalk/frame_description.h"
#include "stackwalk/recipe.h"

enum { ENTRY_ROOTS = 7, ROOT_ORIGIN_MASK = WORD_SIZE - 1, ENTRY_SIZE = 64 };

_Static_assert((int)ORIGIN_COUNT == (int)WORD_SIZE, "the origin fits into the free bits of an offset");

struct frame_entry {
  struct return_address return_address; /* the key in the table */
  const struct frame_description *description;
  _Atomic uint64_t recipe; /* struct recipe */
  uint64_t id;             /* description->id */
  uint8_t flags;           /* description->flags */
  uint8_t root_count;
  uint8_t register_roots;
  bool roots_complete : 1;
  bool frame_pointer_used : 1; /* a root lies at ORIGIN_FRAME_POINTER */
  int32_t roots[ENTRY_ROOTS];
};

_Static_assert(sizeof(struct frame_entry) == ENTRY_SIZE, "an entry is a cache line");

/* Sets everything but the key. */
void spgc_frame_entry_describe(struct frame_entry *entry, const struct frame_description *description);

static inline struct recipe frame_entry_recipe(const struct frame_entry *entry) {
  return (struct recipe){atomic_load_explicit(&entry->recipe, memory_order_relaxed)};
}

/* Before the addresses of its roots are asked for, once for each frame: reads the value of RBP if one is counted from
 * it. False when RBP was not saved on the stack above `lowest`, or is no multiple of a word. */
static inline bool frame_entry_load_pointer(const struct frame_entry *entry, struct suspended_frame *frame,
                                            struct stack_address lowest) {
  if (!entry->frame_pointer_used)
    return true;
  uintptr_t place = frame->origins[ORIGIN_RBP].word;
  if (place < lowest.word)
    return false;
  uintptr_t value = *(const uintptr_t *)place;
  frame->origins[ORIGIN_FRAME_POINTER].word = value;
  return value % WORD_SIZE == 0;
}

static inline uintptr_t root_address(const struct suspended_frame *frame, int32_t root) {
  return frame->origins[root & ROOT_ORIGIN_MASK].word + (uintptr_t)(intptr_t)(root & ~ROOT_ORIGIN_MASK);
}

#endif
