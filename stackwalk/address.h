/* Addresses in code and on the stack. Different types, so that neither is taken for the other or
 * for a reference. */
#ifndef SPGC_STACKWALK_ADDRESS_H
#define SPGC_STACKWALK_ADDRESS_H

#include <stdint.h>

/* Where a call returns to: the key of a frame's description. Never 0. */
struct return_address {
  uintptr_t word;
};

/* Where a function starts. Never 0. */
struct function_address {
  uintptr_t word;
};

struct stack_address {
  uintptr_t word;
};

#endif
