/* The call puts the return address right below the frame's stack pointer. */
#ifndef SPGC_STACKWALK_X86_64_RETURN_PLACE_H
#define SPGC_STACKWALK_X86_64_RETURN_PLACE_H

#include <stdbool.h>

#include "stackwalk/suspended_frame.h"

enum { SIGNS_RETURN_ADDRESSES = false };

/* __builtin_frame_address gives the word below the return address. */
enum { FRAME_ADDRESS_MAY_BE_LOWEST = false };

static inline struct stack_address frame_return_place(const struct suspended_frame *frame) {
  return (struct stack_address){frame_stack_pointer(frame) - WORD_SIZE};
}

/* `offset` is relative to the frame's stack pointer. */
static inline void frame_set_return_place(struct suspended_frame *frame, int64_t offset) {
}

/* `offset` is from the canonical frame address. */
static inline bool return_place_is_possible(int64_t offset) {
  return offset == -WORD_SIZE;
}

static inline struct return_address return_address_of_word(uintptr_t word) {
  return (struct return_address){word};
}

#endif
