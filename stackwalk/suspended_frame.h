/* A frame that waits for a call to return.
 *
 * `origins` are the addresses that roots are counted from:
 *   - for each callee-saved register, where a frame further in saved it; 0 if unknown;
 *   - the frame's stack pointer;
 *   - the value of its frame pointer, only while roots that are counted from it are visited.
 *
 * Invariants: a known place is aligned to a word and below the frame's stack pointer; the stack
 * pointer of a managed frame is aligned to a word. */
#ifndef SPGC_STACKWALK_SUSPENDED_FRAME_H
#define SPGC_STACKWALK_SUSPENDED_FRAME_H

#include <stdint.h>

#include "stackwalk/address.h"
#include "stackwalk/location.h"

struct suspended_frame {
  struct return_address return_address;
  struct stack_address origins[ORIGIN_COUNT];
};

static inline uintptr_t frame_stack_pointer(const struct suspended_frame *frame) {
  return frame->origins[ORIGIN_STACK_POINTER].word;
}

#endif
