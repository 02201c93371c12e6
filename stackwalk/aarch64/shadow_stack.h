/* A Guarded Control Stack (Arm ARM, D11). */
#ifndef SPGC_STACKWALK_AARCH64_SHADOW_STACK_H
#define SPGC_STACKWALK_AARCH64_SHADOW_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* CHKFEAT clears the bit of a feature that is on; other processors do nothing. */
static inline bool shadow_stack_is_on(void) {
  register uint64_t features __asm__("x16") = 1;
  __asm__ volatile("hint #40" : "+r"(features)); /* CHKFEAT X16 */
  return features == 0;
}

#endif
