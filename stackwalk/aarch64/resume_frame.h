#ifndef SPGC_STACKWALK_AARCH64_RESUME_FRAME_H
#define SPGC_STACKWALK_AARCH64_RESUME_FRAME_H

#include "stackwalk/aarch64/registers.h"

/* Continues at `address` with these preserved registers, by enum origin, read before the stack
 * pointer moves above them. Branch target identification lets a branch through x17 reach the
 * targets of calls and jumps. */
__attribute__((noreturn)) static inline void
resume_frame(const uintptr_t registers[PRESERVED_REGISTERS], uintptr_t stack_pointer,
             uintptr_t address) {
  register const uintptr_t *values __asm__("x9") = registers;
  register uintptr_t pointer __asm__("x10") = stack_pointer;
  register uintptr_t target __asm__("x17") = address;
  __asm__ volatile("ldp x19, x20, [x9]\n\t"
                   "ldp x21, x22, [x9, #16]\n\t"
                   "ldp x23, x24, [x9, #32]\n\t"
                   "ldp x25, x26, [x9, #48]\n\t"
                   "ldp x27, x28, [x9, #64]\n\t"
                   "ldr x29, [x9, #80]\n\t"
                   "ldr d8, [x9, #88]\n\t"
                   "ldp d9, d10, [x9, #96]\n\t"
                   "ldp d11, d12, [x9, #112]\n\t"
                   "ldp d13, d14, [x9, #128]\n\t"
                   "ldr d15, [x9, #144]\n\t"
                   "mov sp, x10\n\t"
                   "br x17"
                   :
                   : "r"(values), "r"(pointer), "r"(target)
                   : "memory");
  __builtin_unreachable();
}
_Static_assert(ORIGIN_X19 == 0 && ORIGIN_X29 == 10 && ORIGIN_D8 == 11 && ORIGIN_D15 == 18 &&
                   PRESERVED_REGISTERS == 19,
               "the order in which resume_frame loads the registers");

#endif
