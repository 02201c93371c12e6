#ifndef SPGC_GC_WEAK_IDENTITY_H
#define SPGC_GC_WEAK_IDENTITY_H

#include <stdint.h>

#include "spgc/ref.h"

/* From 1; 0 for an object without a hash. Constant while the object lives. The world is stopped. */
uint32_t spgc_identity_number(struct spgc_ref object);

#endif
