/* On the stack, as save_registers.inc pushes them. */
#ifndef SPGC_STACKWALK_X86_64_SAVED_REGISTERS_H
#define SPGC_STACKWALK_X86_64_SAVED_REGISTERS_H

#include "stackwalk/suspended_frame.h"

/* From the lowest address. The caller's stack pointer is right above. */
struct saved_registers {
  uintptr_t r15, r14, r13, r12, rbx, rbp;
  struct return_address return_address;
};

static inline struct suspended_frame caller_of(const struct saved_registers *saved) {
  struct suspended_frame caller = {.return_address = saved->return_address};
  caller.origins[ORIGIN_STACK_POINTER].word = (uintptr_t)(saved + 1);
  caller.origins[ORIGIN_RBX].word = (uintptr_t)&saved->rbx;
  caller.origins[ORIGIN_RBP].word = (uintptr_t)&saved->rbp;
  caller.origins[ORIGIN_R12].word = (uintptr_t)&saved->r12;
  caller.origins[ORIGIN_R13].word = (uintptr_t)&saved->r13;
  caller.origins[ORIGIN_R14].word = (uintptr_t)&saved->r14;
  caller.origins[ORIGIN_R15].word = (uintptr_t)&saved->r15;
  return caller;
}

/* The words that spgc_stack_switch leaves at the stack pointer, upwards. */
struct saved_by_switch {
  uint32_t sse_control;
  uint16_t x87_control, unused;
  struct saved_registers registers;
};

#endif
