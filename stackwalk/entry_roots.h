#ifndef SPGC_STACKWALK_ENTRY_ROOTS_H
#define SPGC_STACKWALK_ENTRY_ROOTS_H

#include "stackwalk/frame_entry.h"
#include "stackwalk/walk.h"

static inline bool entry_root_is_outside(const struct walk *walk, uintptr_t address) {
  return address - walk->lowest.word >= walk->limit.word - walk->lowest.word;
}

/* False if one is not on the walked stack. */
static inline bool entry_registers_locate(const struct walk *walk, const struct frame_entry *entry,
                                          const struct suspended_frame *suspended,
                                          struct spgc_slot slots[CALLEE_SAVED_REGISTERS],
                                          uintptr_t values[CALLEE_SAVED_REGISTERS],
                                          unsigned *count) {
  unsigned located = 0;
  for (unsigned left = entry->registers; left != 0; left &= left - 1, located++) {
    uintptr_t place = suspended->origins[(unsigned)__builtin_ctz(left)].word;
    if (place < walk->lowest.word)
      return false;
    slots[located] = spgc_slot_at((void *)place);
    values[located] = *(const uintptr_t *)place;
  }
  *count = located;
  return true;
}

/* Slots ascend, so only the first and the last are checked. The stack pointer is also in
 * `suspended`, but a copy in a register is available sooner. */
static inline bool entry_slots_locate(const struct walk *walk, const struct frame_entry *entry,
                                      uintptr_t stack_pointer, struct suspended_frame *suspended,
                                      struct spgc_slot slots[ENTRY_SLOT_WORDS], unsigned *count) {
  *count = 0;
  uint64_t words = frame_entry_slot_words(entry);
  if (words == 0)
    return true;
  if (!frame_entry_load_pointer(entry, suspended, walk->lowest))
    return false;
  uintptr_t first = frame_entry_slot_origin(entry, suspended, stack_pointer) +
                    (uintptr_t)frame_entry_first_slot(entry);
  uintptr_t last = first;
  struct spgc_slot *next = slots;
  for (; words != 0; words &= words - 1) {
    last = first + (unsigned)__builtin_ctzll(words) * (uintptr_t)WORD_SIZE;
    *next++ = spgc_slot_at((void *)last);
  }
  *count = (unsigned)(next - slots);
  return !entry_root_is_outside(walk, first) && !entry_root_is_outside(walk, last);
}

#endif
