#ifndef SPGC_GC_WEAK_IDENTITY_H
#define SPGC_GC_WEAK_IDENTITY_H

#include <stdint.h>

#include "spgc/ref.h"

/* From 1, constant while the object lives; 0 without a hash. The world is stopped. */
uint32_t spgc_identity_number(struct spgc_ref object);

#endif
