/* Callee-saved registers pushed to the stack, so that each has a place from which the calling
 * frames reload it: the pushes, their layout, and where a walk finds the registers.
 */
#ifndef SPGC_STACKWALK_X86_64_SAVED_REGISTERS_H
#define SPGC_STACKWALK_X86_64_SAVED_REGISTERS_H

#ifdef __ASSEMBLER__

        .macro  save_register register
        pushq   \register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \register, 0
        .endm

        .macro  restore_register register
        popq    \register
        .cfi_adjust_cfa_offset -8
        .cfi_restore \register
        .endm

/* On entry to a function. Afterwards the stack pointer is the address of struct saved_registers. */
        .macro  save_registers
        save_register %rbp
        save_register %rbx
        save_register %r12
        save_register %r13
        save_register %r14
        save_register %r15
        .endm

        .macro  restore_registers
        restore_register %r15
        restore_register %r14
        restore_register %r13
        restore_register %r12
        restore_register %rbx
        restore_register %rbp
        .endm

#else

#include "stackwalk/walk.h"

/* From the lowest address on. The caller's stack pointer is right above. */
struct saved_registers {
  uintptr_t r15, r14, r13, r12, rbx, rbp;
  struct return_address return_address;
};

/* The frame that called the function that saved them. */
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

#endif
#endif
