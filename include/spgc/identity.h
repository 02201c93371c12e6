/* Identity hashes: a number for an object that stays the same while the object moves.
 *
 * Headers have no spare bits, so collections update a table outside the heap when hashed objects
 * move. Only these have a cost: 16 bytes each and a share of an index, freed after their death. A
 * minor collection visits only the entries made since the last one. */
#ifndef SPGC_IDENTITY_H
#define SPGC_IDENTITY_H

#include <stdint.h>

#include "spgc/ref.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The object's hash, or 0 if the process has no memory for a new one. The first 2^32 - 1 objects
 * hashed since spgc_start have different hashes, and every bit is evenly distributed. A word
 * outside the heap is hashed by its value. Attached threads only. Not a safepoint. */
uint32_t spgc_identity_hash(struct spgc_ref object);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
