/* What walkers need of one return address in the usual case, on one cache line.
 *
 * Equations, when `roots_complete`: the words that hold references are, and are nothing but,
 *   - for i < register_roots, the place origins[roots[i]] where a register was saved (suspended_frame.h);
 *   - for i < slot_roots, the slot origins[slot_origin] + roots[register_roots + i], ascending;
 * and there are no derived locations. Otherwise the description says.
 *
 * Who writes, and when: registration and unregistration, with the table locked; but `recipe` and `no_personality` are
 * written by walkers, too (relaxed: each is one whole answer, and two walkers write the same).
 */
#ifndef SPGC_STACKWALK_FRAME_ENTRY_H
#define SPGC_STACKWALK_FRAME_ENTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stackwalk/frame_description.h"
#include "stackwalk/recipe.h"

enum { ENTRY_ROOTS = 6, ENTRY_SIZE = 64 };

struct frame_entry {
  struct return_address return_address; /* the key in the table */
  const struct frame_description *description;
  _Atomic uint64_t recipe; /* struct recipe */
  uint64_t id;             /* description->id */
  uint8_t flags;           /* description->flags */
  uint8_t register_roots;
  uint8_t slot_roots;
  uint8_t slot_origin; /* enum origin: the stack pointer or RBP; RBP only where a slot is */
  bool roots_complete;
  _Atomic bool no_personality; /* observed: no exception ends in a frame of the function */
  int32_t roots[ENTRY_ROOTS];  /* origins, then offsets, multiples of a word */
};

_Static_assert(sizeof(struct frame_entry) == ENTRY_SIZE, "an entry is a cache line");

/* Sets everything but the key. */
void spgc_frame_entry_describe(struct frame_entry *entry, const struct frame_description *description);

static inline struct recipe frame_entry_recipe(const struct frame_entry *entry) {
  return (struct recipe){atomic_load_explicit(&entry->recipe, memory_order_relaxed)};
}

/* Before the addresses of its roots are asked for, once for each frame: reads the value of RBP if slots are counted
 * from it. False when RBP was not saved on the stack above `lowest`, or is no multiple of a word. */
static inline bool frame_entry_load_pointer(const struct frame_entry *entry, struct suspended_frame *frame,
                                            struct stack_address lowest) {
  if (entry->slot_origin != ORIGIN_FRAME_POINTER)
    return true;
  uintptr_t place = frame->origins[ORIGIN_RBP].word;
  if (place < lowest.word)
    return false;
  uintptr_t value = *(const uintptr_t *)place;
  frame->origins[ORIGIN_FRAME_POINTER].word = value;
  return value % WORD_SIZE == 0;
}

/* What slots are counted from. The stack pointer is given once more, because a copy in a register is at hand sooner. */
static inline uintptr_t frame_entry_slot_origin(const struct frame_entry *entry, const struct suspended_frame *frame,
                                                uintptr_t stack_pointer) {
  return entry->slot_origin == ORIGIN_STACK_POINTER ? stack_pointer : frame->origins[ORIGIN_FRAME_POINTER].word;
}

#endif
