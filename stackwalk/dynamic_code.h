/* Tables of code made at run time, registered with libunwind's _U_dyn_register. */
#ifndef SPGC_STACKWALK_DYNAMIC_CODE_H
#define SPGC_STACKWALK_DYNAMIC_CODE_H

#include "stackwalk/unwind_info.h"

/* False if no table covers the call. For walkers only; the table stays until they leave. */
bool spgc_dynamic_code_find(struct return_address address, struct unwind_table *table);

/* Whether the address is covered, or within reach of the tables' four-byte offsets. */
bool spgc_dynamic_code_reaches(uintptr_t address);

#endif
