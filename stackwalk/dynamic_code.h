/* Unwind information of code made at run time: the tables that were registered with libunwind's _U_dyn_register. */
#ifndef SPGC_STACKWALK_DYNAMIC_CODE_H
#define SPGC_STACKWALK_DYNAMIC_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "stackwalk/address.h"

struct dynamic_function {
  struct function_address start;
  const uint8_t *description; /* its frame description entry (FDE), from the length on */
};

/* The function that the call before the return address is in. False when no such table covers it. For walkers, who have
 * time until they leave. */
bool spgc_dynamic_code_find(struct return_address address, struct dynamic_function *function);

#endif
