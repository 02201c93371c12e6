/* The entry of a return address in the frame table: half a cache line that describes a simple frame
 * completely.
 *
 * Invariant: the words of a simple frame that hold references are exactly
 *   - for each bit o of `registers`, the place origins[o] where a register was saved
 *     (suspended_frame.h);
 *   - for each bit b of `slots` above the lowest 16, the slot origins[slot_origin] + (first + b -
 *     16) * WORD_SIZE, where `first` is the lowest 16 bits of `slots`, signed; bit 16 is set if any
 *     of these bits is;
 *
 * and it has no derived or deopt locations. All other frames have a description.
 *
 * Registration writes the entry before it is published. Later a walker writes `unwind_plan` once,
 * because others read it twice; walkers and unwinders write `landing`, always the same value. Each
 * is complete in itself, so relaxed accesses suffice. */
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
  ENTRY_SLOT_WORDS = 64 - ENTRY_FIRST_SLOT_BITS,
  ENTRY_REGISTER_BITS = CALLEE_SAVED_REGISTERS <= 8 ? 8 : CALLEE_SAVED_REGISTERS,
  ENTRY_ORIGIN_MASK = (1 << (16 - ENTRY_REGISTER_BITS)) - 1,
  ENTRY_ROOTS = CALLEE_SAVED_REGISTERS + ENTRY_SLOT_WORDS,
};

/* The landing pad of an exception that reaches the frame. */
enum landing {
  LANDING_UNKNOWN, /* not looked up yet */
  LANDING_NONE,    /* further out */
  LANDING_FOREIGN, /* the function has another personality */
  LANDING_PAD,
};

struct frame_entry {
  struct return_address return_address;
  _Atomic uint32_t unwind_plan; /* struct unwind_plan */
  /* Bit o: the register of enum origin o holds a reference. */
  uint16_t registers : ENTRY_REGISTER_BITS;
  /* ORIGIN_STACK_POINTER; with slots also ORIGIN_FRAME_POINTER; ORIGIN_COUNT: `description` is used
   * instead of `slots`. */
  uint16_t slot_origin : 16 - ENTRY_REGISTER_BITS;
  uint8_t flags : 2;       /* enum spgc_statepoint_flags */
  uint8_t slot_count : 6;  /* bits set in `slots` above the lowest 16 */
  _Atomic uint8_t landing; /* enum landing */
  uint64_t id;             /* the call site's "statepoint-id" */
  union {
    uint64_t slots;
    const struct frame_description *description;
  };
};

_Static_assert(sizeof(struct frame_entry) == ENTRY_SIZE, "two entries are a cache line");
_Static_assert(ORIGIN_COUNT < 1 << (16 - ENTRY_REGISTER_BITS), "slot_origin has every origin");

/* Writes in place, because copying a structure just written field by field stalls. The description
 * must stay if frame_entry_is_described. */
void spgc_frame_entry_make(const struct frame_description *description, struct frame_entry *entry);

/* Compares IDs, flags and roots. */
bool spgc_frame_entry_equal(const struct frame_entry *a, const struct frame_entry *b);

static inline bool frame_entry_is_described(const struct frame_entry *entry) {
  return entry->slot_origin == ORIGIN_COUNT;
}

struct entry_description {
  struct frame_description description;
  struct location bases[ENTRY_ROOTS];
};

/* A simple frame's is made in `room`, without position and size. */
const struct frame_description *spgc_frame_entry_description(const struct frame_entry *entry,
                                                             struct entry_description *room);

static inline struct unwind_plan frame_entry_unwind_plan(const struct frame_entry *entry) {
  return (struct unwind_plan){atomic_load_explicit(&entry->unwind_plan, memory_order_relaxed)};
}

static inline intptr_t frame_entry_first_slot(const struct frame_entry *entry) {
  return (intptr_t)(int16_t)entry->slots * WORD_SIZE;
}

/* Bit i is the word i words above the first slot. */
static inline uint64_t frame_entry_slot_words(const struct frame_entry *entry) {
  return entry->slots >> ENTRY_FIRST_SLOT_BITS;
}

/* Baseline x86-64 has no instruction for it. */
static inline unsigned frame_entry_register_count(const struct frame_entry *entry) {
  unsigned bits = entry->registers;
  bits -= bits >> 1 & 0x5555;
  bits = (bits & 0x3333) + (bits >> 2 & 0x3333);
  bits = (bits + (bits >> 4)) & 0x0f0f;
  return CALLEE_SAVED_REGISTERS <= 8 ? bits : (bits + (bits >> 8)) & 0x1f;
}

/* For each frame, before its roots are located. False if slots are relative to a frame pointer that
 * was not saved on the stack above `lowest`, or is not aligned to a word. */
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

static inline uintptr_t frame_entry_slot_origin(const struct frame_entry *entry,
                                                const struct suspended_frame *frame,
                                                uintptr_t stack_pointer) {
  return entry->slot_origin == ORIGIN_STACK_POINTER ? stack_pointer
                                                    : frame->origins[ORIGIN_FRAME_POINTER].word;
}

#endif
