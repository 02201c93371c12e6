/* What walkers need of one return address, in half a cache line.
 *
 * Equations, unless the frame is described: the words that hold references are, and are nothing
 * but,
 *   - for each bit o of `registers`, the place origins[o] where a register was saved
 * (suspended_frame.h);
 *   - for each bit b of `slots` above the lowest 16, the slot origins[slot_origin] + (first + b -
 * 16) * WORD_SIZE, where `first` is the lowest 16 bits of `slots`, signed; bit 16 is set if any is;
 * and there are no derived and no deopt locations. This is the usual frame. Of the others the
 * description says.
 *
 * Who writes, and when: registration, before the entry is published; but `unwind plan` and
 * `landing` are written by walkers and unwinders, too (relaxed: each is one whole answer, and two
 * of them write the same).
 */
#ifndef SPGC_STACKWALK_FRAME_ENTRY_H
#define SPGC_STACKWALK_FRAME_ENTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stackwalk/frame_description.h"
#include "stackwalk/machine_frame.h"

enum {
  ENTRY_SIZE = 32,
  ENTRY_FIRST_SLOT_BITS = 16,
  ENTRY_SLOT_WORDS = 64 - ENTRY_FIRST_SLOT_BITS, /* from the first slot to the last */
  ENTRY_ROOTS = CALLEE_SAVED_REGISTERS + ENTRY_SLOT_WORDS,
};

/* Where an exception goes that comes to the frame. */
enum landing {
  LANDING_UNKNOWN, /* not looked up yet */
  LANDING_NONE,    /* further out: no landing pad, whatever the exception */
  LANDING_FOREIGN, /* the function has another personality than ours */
  LANDING_PAD,
};

struct frame_entry {
  struct return_address return_address; /* the key in the table; 0: no entry */
  _Atomic uint32_t unwind_plan;         /* struct unwind plan */
  uint8_t registers;                    /* a bit for each enum origin */
  uint8_t flags : 2;                    /* enum spgc_statepoint_flags */
  uint8_t slot_count : 6;               /* bits of `slots` above the lowest 16 */
  uint8_t slot_origin;     /* the stack pointer or RBP (RBP only where a slot is); ORIGIN_COUNT:
                              described */
  _Atomic uint8_t landing; /* enum landing */
  uint64_t id;             /* the call site's "statepoint-id" */
  union {
    uint64_t slots;
    const struct frame_description *description;
  };
};

_Static_assert(sizeof(struct frame_entry) == ENTRY_SIZE, "two entries are a cache line");

/* The entry of the return address that the description gives; written in its place, for copying
 * what was just written field by field stalls. A description that the entry does not replace has to
 * stay: frame_entry_is_described says whether. */
void spgc_frame_entry_make(const struct frame_description *description, struct frame_entry *entry);

static inline bool frame_entry_is_described(const struct frame_entry *entry) {
  return entry->slot_origin == ORIGIN_COUNT;
}

/* Room for the description of a frame that has none. */
struct entry_description {
  struct frame_description description;
  struct location bases[ENTRY_ROOTS];
};

/* The frame's description, or what the entry says in its form: without the record's position and
 * the frame's size. */
const struct frame_description *spgc_frame_entry_description(const struct frame_entry *entry,
                                                             struct entry_description *room);

static inline struct unwind_plan frame_entry_unwind_plan(const struct frame_entry *entry) {
  return (struct unwind_plan){atomic_load_explicit(&entry->unwind_plan, memory_order_relaxed)};
}

static inline intptr_t frame_entry_first_slot(const struct frame_entry *entry) {
  return (intptr_t)(int16_t)entry->slots * WORD_SIZE;
}

/* Bit i: the word i words above the first slot. */
static inline uint64_t frame_entry_slot_words(const struct frame_entry *entry) {
  return entry->slots >> ENTRY_FIRST_SLOT_BITS;
}

/* Of eight bits; x86-64's baseline has no instruction for it. */
static inline unsigned frame_entry_register_count(const struct frame_entry *entry) {
  unsigned bits = entry->registers;
  bits -= bits >> 1 & 0x55;
  bits = (bits & 0x33) + (bits >> 2 & 0x33);
  return (bits + (bits >> 4)) & 0x0f;
}

/* Before the addresses of its roots are asked for, once for each frame: reads the value of RBP if
 * slots are counted from it. False when RBP was not saved on the stack above `lowest`, or is no
 * multiple of a word. */
static inline bool frame_entry_load_pointer(const struct frame_entry *entry,
                                            struct suspended_frame *frame,
                                            struct stack_address lowest) {
  if (entry->slot_origin != ORIGIN_FRAME_POINTER)
    return true;
  uintptr_t place = frame->origins[ORIGIN_SAVED_FRAME_POINTER].word;
  if (place < lowest.word)
    return false;
  uintptr_t value = *(const uintptr_t *)place;
  frame->origins[ORIGIN_FRAME_POINTER].word = value;
  return value % WORD_SIZE == 0;
}

/* What slots are counted from. */
static inline uintptr_t frame_entry_slot_origin(const struct frame_entry *entry,
                                                const struct suspended_frame *frame,
                                                uintptr_t stack_pointer) {
  return entry->slot_origin == ORIGIN_STACK_POINTER ? stack_pointer
                                                    : frame->origins[ORIGIN_FRAME_POINTER].word;
}

#endif
