/* Unwind information of code made at run time: the tables that were registered with libunwind's
 * _U_dyn_register. */
#ifndef SPGC_STACKWALK_DYNAMIC_CODE_H
#define SPGC_STACKWALK_DYNAMIC_CODE_H

#include "stackwalk/unwind_info.h"

/* The table of the code that the call before the return address is in. False when no table covers
 * it. For walkers, who have time until they leave. */
bool spgc_dynamic_code_find(struct return_address address, struct unwind_table *table);

/* Whether the address is in a table, or one may lead to it: it counts from its base in four bytes.
 */
bool spgc_dynamic_code_reaches(uintptr_t address);

#endif
