/* Places of calls in the allocation profile: what their code is called, and where it was loaded
 * from. */
#ifndef SPGC_OBSERVE_PROFILE_PROFILE_PLACES_H
#define SPGC_OBSERVE_PROFILE_PROFILE_PLACES_H

#include "observe/profile/profile_tables.h"
#include "stackwalk/backtrace.h"

/* The number of a call's place, which is added if it is new. The caller holds SPGC_LOCK_SAMPLES,
 * which is released meanwhile. SPGC_PROFILE_NONE when there is no memory. */
uint32_t spgc_profile_place_number(struct spgc_profile_tables *tables,
                                   const struct spgc_call *call);

/* Code in [start, end) goes. Code that takes its place later gets places of its own, and so does
 * code that stays, once it is sampled again. The caller holds SPGC_LOCK_SAMPLES. */
void spgc_profile_places_retire(struct spgc_profile_tables *tables, uintptr_t start, uintptr_t end);

#endif
