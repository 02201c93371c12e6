/* Distinct types for the compiler. */
#ifndef SPGC_STACKWALK_ADDRESS_H
#define SPGC_STACKWALK_ADDRESS_H

#include <stdint.h>

/* The key of a frame's description. Never 0. */
struct return_address {
  uintptr_t word;
};

/* A function's first instruction. Never 0. */
struct function_address {
  uintptr_t word;
};

struct stack_address {
  uintptr_t word;
};

#endif
