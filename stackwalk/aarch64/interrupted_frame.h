#ifndef SPGC_STACKWALK_AARCH64_INTERRUPTED_FRAME_H
#define SPGC_STACKWALK_AARCH64_INTERRUPTED_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#include "stackwalk/suspended_frame.h"

struct interrupted_registers {
  uintptr_t saved[CALLEE_SAVED_REGISTERS], stack_pointer, instruction;
};

/* From the last argument of a signal handler. Async-signal-safe. */
static inline void interrupted_registers_read(struct interrupted_registers *registers,
                                              const void *context) {
  const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
  for (int i = 0; i < CALLEE_SAVED_REGISTERS; i++)
    registers->saved[i] = (uintptr_t)machine->regs[DWARF_X19 + i];
  registers->stack_pointer = (uintptr_t)machine->sp;
  registers->instruction = (uintptr_t)machine->pc;
}

/* All but the stack pointer, in no order. */
enum { GENERAL_REGISTERS = 31 };

static inline uintptr_t interrupted_register(const void *context, unsigned number) {
  return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.regs[number];
}

static inline uintptr_t interrupted_instruction(const void *context) {
  return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
}

/* A handler returns to instructions in the kernel's vdso, by which libunwind recognises its frame.
 */
enum { SIGNAL_RETURN_IS_IN_VDSO = true };

static inline bool is_signal_return(const uint32_t instructions[2]) {
  return instructions[0] == 0xd2801168 && /* mov x8, #__NR_rt_sigreturn */
         instructions[1] == 0xd4000001;   /* svc #0 */
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
