#ifndef SPGC_GC_WEAK_IDENTITY_H
#define SPGC_GC_WEAK_IDENTITY_H

#include <stdint.h>

#include "spgc/ref.h"

/* The object's number among those that were hashed, from 1; 0 if it has no hash. Constant while the
 * object lives. The world is stopped. */
uint32_t spgc_identity_number(struct spgc_ref object);

#endif
