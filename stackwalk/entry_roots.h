/* The roots of the usual frame, from its entry alone. */
#ifndef SPGC_STACKWALK_ENTRY_ROOTS_H
#define SPGC_STACKWALK_ENTRY_ROOTS_H

#include "stackwalk/frame_entry.h"
#include "stackwalk/walk.h"

static inline bool entry_root_is_outside(const struct walk *walk, uintptr_t address) {
  return address - walk->lowest.word >= walk->limit.word - walk->lowest.word;
}

/* Where the roots of a frame are that has no description, registers first. False when one does not lie on the walked
 * stack. Slots ascend, so the first and the last tell for all. Offsets and origins are multiples of a word, so
 * addresses are. The stack pointer is given once more, because a copy in a register is at hand sooner. */
static inline bool entry_roots_locate(const struct walk *walk, const struct frame_entry *entry, uintptr_t stack_pointer,
                                      struct suspended_frame *suspended, struct spgc_slot slots[ENTRY_ROOTS],
                                      unsigned *root_count) {
  bool outside = !frame_entry_load_pointer(entry, suspended, walk->lowest);
  unsigned count = 0;
  for (unsigned left = entry->registers; left != 0; left &= left - 1) {
    uintptr_t place = suspended->origins[__builtin_ctz(left)].word;
    outside |= entry_root_is_outside(walk, place);
    slots[count++] = spgc_slot_at((void *)place);
  }
  uint64_t words = frame_entry_slot_words(entry);
  if (words != 0) {
    uintptr_t first =
        frame_entry_slot_origin(entry, suspended, stack_pointer) + (uintptr_t)frame_entry_first_slot(entry);
    for (; words != 0; words &= words - 1)
      slots[count++] = spgc_slot_at((void *)(first + (uintptr_t)__builtin_ctzll(words) * WORD_SIZE));
    outside |= entry_root_is_outside(walk, first) | entry_root_is_outside(walk, (uintptr_t)slots[count - 1].location);
  }
  *root_count = count;
  return !outside;
}

#endif
