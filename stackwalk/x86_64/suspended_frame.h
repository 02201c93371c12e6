/* A frame that has called on: what both ways of walking know of it, and all that its roots are found with.
 *
 * `origins` are the addresses that roots are counted from:
 *   - for each callee-saved register, the place on the stack where a frame further in saved the value the register has
 *     in this frame; 0 when no such place is known;
 *   - the frame's stack pointer;
 *   - the value of its RBP, while its roots are visited, if one is counted from it; otherwise meaningless.
 *
 * Invariants: a place that is known is aligned to a word and below the frame's stack pointer; the stack pointer of a
 * managed frame is aligned to a word.
 */
#ifndef SPGC_STACKWALK_X86_64_SUSPENDED_FRAME_H
#define SPGC_STACKWALK_X86_64_SUSPENDED_FRAME_H

#include <stdint.h>

#include "stackwalk/address.h"
#include "stackwalk/location.h"

enum origin {
  ORIGIN_RBX,
  ORIGIN_RBP,
  ORIGIN_R12,
  ORIGIN_R13,
  ORIGIN_R14,
  ORIGIN_R15,
  ORIGIN_STACK_POINTER,
  ORIGIN_FRAME_POINTER,
  ORIGIN_COUNT,
};

enum { CALLEE_SAVED_REGISTERS = ORIGIN_STACK_POINTER };

struct suspended_frame {
  struct return_address return_address;
  struct stack_address origins[ORIGIN_COUNT];
};

static inline enum dwarf_register origin_register(enum origin origin) {
  static const enum dwarf_register registers[CALLEE_SAVED_REGISTERS] = {DWARF_RBX, DWARF_RBP, DWARF_R12,
                                                                        DWARF_R13, DWARF_R14, DWARF_R15};
  return registers[origin];
}

/* Where the value of a callee-saved register, or the stack pointer, comes from. */
static inline enum origin register_origin(unsigned reg) {
  switch (reg) {
  case DWARF_RBX: return ORIGIN_RBX;
  case DWARF_RBP: return ORIGIN_RBP;
  case DWARF_RSP: return ORIGIN_STACK_POINTER;
  default: return (enum origin)(reg - DWARF_R12 + ORIGIN_R12);
  }
}

static inline uintptr_t frame_stack_pointer(const struct suspended_frame *frame) {
  return frame->origins[ORIGIN_STACK_POINTER].word;
}

#endif
