/* Return addresses known to belong to C: a cache, because asking libunwind costs as much as three steps.
 *
 * Invariant: every address in it was found to have unwind information and to lie in no function of a live map. Who
 * writes, and when: walkers remember at any time, in any thread (relaxed: one word is one whole answer); registration
 * and unregistration forget everything, with the frame table locked.
 */
#ifndef SPGC_STACKWALK_UNMANAGED_CODE_H
#define SPGC_STACKWALK_UNMANAGED_CODE_H

#include <stdbool.h>

#include "stackwalk/address.h"

bool spgc_unmanaged_code_is_known(struct return_address address);
void spgc_unmanaged_code_remember(struct return_address address);
void spgc_unmanaged_code_forget_all(void);

#endif
