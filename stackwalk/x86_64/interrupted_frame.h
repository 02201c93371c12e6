#ifndef SPGC_STACKWALK_X86_64_INTERRUPTED_FRAME_H
#define SPGC_STACKWALK_X86_64_INTERRUPTED_FRAME_H

#include <stdbool.h>
#include <ucontext.h>

#include "stackwalk/suspended_frame.h"

struct interrupted_registers {
  uintptr_t saved[CALLEE_SAVED_REGISTERS], stack_pointer, instruction;
};

/* From the last argument of a signal handler. Async-signal-safe. */
static inline void interrupted_registers_read(struct interrupted_registers *registers,
                                              const void *context) {
  static const int numbers[CALLEE_SAVED_REGISTERS] = {REG_RBX, REG_RBP, REG_R12,
                                                      REG_R13, REG_R14, REG_R15};
  const gregset_t *values = &((const ucontext_t *)context)->uc_mcontext.gregs;
  for (int i = 0; i < CALLEE_SAVED_REGISTERS; i++)
    registers->saved[i] = (uintptr_t)(*values)[numbers[i]];
  registers->stack_pointer = (uintptr_t)(*values)[REG_RSP];
  registers->instruction = (uintptr_t)(*values)[REG_RIP];
}

/* All but the stack pointer, in no order. */
enum { GENERAL_REGISTERS = 15 };

static inline uintptr_t interrupted_register(const void *context, unsigned number) {
  _Static_assert(REG_R8 == 0 && REG_RCX == GENERAL_REGISTERS - 1, "ucontext.h lists them first");
  return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[number];
}

static inline uintptr_t interrupted_instruction(const void *context) {
  return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
}

/* Unwind information describes the code to which a handler returns. */
enum { SIGNAL_RETURN_IS_IN_VDSO = false };

static inline bool is_signal_return(const uint32_t instructions[2]) {
  return false;
}

/* The instruction is its return address: lookups use the byte before it. */
static inline struct suspended_frame
interrupted_frame(const struct interrupted_registers *registers) {
  struct suspended_frame frame = {.return_address.word = registers->instruction + 1};
  for (int i = 0; i < CALLEE_SAVED_REGISTERS; i++)
    frame.origins[i].word = (uintptr_t)&registers->saved[i];
  frame.origins[ORIGIN_STACK_POINTER].word = registers->stack_pointer;
  return frame;
}

#endif
