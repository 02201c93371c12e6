/* The shadow stack of Control-flow Enforcement Technology (Intel SDM, volume 1, chapter 17). */
#ifndef SPGC_STACKWALK_X86_64_SHADOW_STACK_H
#define SPGC_STACKWALK_X86_64_SHADOW_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Without a shadow stack, the instruction does nothing. */
static inline bool shadow_stack_is_on(void) {
  uint64_t shadow_stack_pointer = 0;
  __asm__ volatile("rdsspq %0" : "+r"(shadow_stack_pointer));
  return shadow_stack_pointer != 0;
}

#endif
