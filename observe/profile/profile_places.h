#ifndef SPGC_OBSERVE_PROFILE_PROFILE_PLACES_H
#define SPGC_OBSERVE_PROFILE_PROFILE_PLACES_H

#include "observe/profile/profile_tables.h"
#include "stackwalk/backtrace.h"

/* Adds it if new. SPGC_PROFILE_NONE if out of memory. Under SPGC_LOCK_SAMPLES, which is released
 * for a while. */
uint32_t spgc_profile_place_number(struct spgc_profile_tables *tables,
                                   const struct spgc_call *call);

/* Names of code in [start, end) are removed. Later code there gets new places; so does remaining
 * code when next sampled. Under SPGC_LOCK_SAMPLES. */
void spgc_profile_places_retire(struct spgc_profile_tables *tables, uintptr_t start, uintptr_t end);

#endif
