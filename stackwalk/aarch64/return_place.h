/* A suspended frame's return address is where the called function saved x30, maybe signed, in bits
 * that are 0 in every address of code. */
#ifndef SPGC_STACKWALK_AARCH64_RETURN_PLACE_H
#define SPGC_STACKWALK_AARCH64_RETURN_PLACE_H

#include <stdbool.h>

#include "stackwalk/suspended_frame.h"

enum { SIGNS_RETURN_ADDRESSES = true };

/* It is the frame record's, right above the outgoing arguments. */
enum { FRAME_ADDRESS_MAY_BE_LOWEST = true };

/* 0: unknown. */
static inline struct stack_address frame_return_place(const struct suspended_frame *frame) {
  return frame->origins[ORIGIN_RETURN_PLACE];
}

/* `offset` is relative to the frame's stack pointer. */
static inline void frame_set_return_place(struct suspended_frame *frame, int64_t offset) {
  frame->origins[ORIGIN_RETURN_PLACE].word = frame_stack_pointer(frame) + (uintptr_t)offset;
}

/* `offset` is from the canonical frame address; 0: not saved, as in a function that calls
 * nothing. */
static inline bool return_place_is_possible(int64_t offset) {
  return offset < 0 && offset % WORD_SIZE == 0;
}

/* Removes a signature. Code has addresses of 48 bits, because Linux gives longer ones only on
 * request (Documentation/arch/arm64/memory.rst). */
static inline struct return_address return_address_of_word(uintptr_t word) {
  enum { ADDRESS_BITS = 48 };
  return (struct return_address){word & (((uintptr_t)1 << ADDRESS_BITS) - 1)};
}

#endif
