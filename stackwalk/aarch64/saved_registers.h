/* On the stack, as save_registers.inc stores them; otherwise like x86_64/saved_registers.h. */
#ifndef SPGC_STACKWALK_AARCH64_SAVED_REGISTERS_H
#define SPGC_STACKWALK_AARCH64_SAVED_REGISTERS_H

#include <stddef.h>

#include "stackwalk/aarch64/return_place.h"

struct saved_registers {
  uintptr_t x29, return_address; /* x30 */
  uintptr_t x19_to_x28[10];
  uintptr_t d8_to_d15[8];
};

_Static_assert(sizeof(struct saved_registers) == 160, "as save_registers.inc says");

static inline struct suspended_frame caller_of(const struct saved_registers *saved) {
  struct suspended_frame caller = {.return_address = return_address_of_word(saved->return_address)};
  caller.origins[ORIGIN_STACK_POINTER].word = (uintptr_t)(saved + 1);
  frame_set_return_place(&caller, (int64_t)offsetof(struct saved_registers, return_address) -
                                      (int64_t)sizeof *saved);
  for (unsigned i = 0; i < 10; i++)
    caller.origins[ORIGIN_X19 + i].word = (uintptr_t)&saved->x19_to_x28[i];
  for (unsigned i = 0; i < 8; i++)
    caller.origins[ORIGIN_D8 + i].word = (uintptr_t)&saved->d8_to_d15[i];
  caller.origins[ORIGIN_X29].word = (uintptr_t)&saved->x29;
  return caller;
}

struct saved_by_switch {
  uint64_t float_control, unused;
  struct saved_registers registers;
};

#endif
