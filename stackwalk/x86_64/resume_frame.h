#ifndef SPGC_STACKWALK_X86_64_RESUME_FRAME_H
#define SPGC_STACKWALK_X86_64_RESUME_FRAME_H

#include "stackwalk/x86_64/registers.h"

/* Continues at `address` with these callee-saved registers, by enum origin, read before the stack
 * pointer moves above them. */
__attribute__((noreturn)) static inline void
resume_frame(const uintptr_t registers[CALLEE_SAVED_REGISTERS], uintptr_t stack_pointer,
             uintptr_t address) {
  __asm__ volatile("movq 0(%0), %%rbx\n\t"
                   "movq 8(%0), %%rbp\n\t"
                   "movq 16(%0), %%r12\n\t"
                   "movq 24(%0), %%r13\n\t"
                   "movq 32(%0), %%r14\n\t"
                   "movq 40(%0), %%r15\n\t"
                   "movq %1, %%rsp\n\t"
                   "jmpq *%2"
                   :
                   : "a"(registers), "d"(stack_pointer), "c"(address)
                   : "memory");
  __builtin_unreachable();
}
_Static_assert(ORIGIN_RBX == 0 && ORIGIN_RBP == 1 && ORIGIN_R12 == 2 && ORIGIN_R13 == 3 &&
                   ORIGIN_R14 == 4 && ORIGIN_R15 == 5 && CALLEE_SAVED_REGISTERS == 6,
               "the order in which resume_frame loads the registers");

#endif
