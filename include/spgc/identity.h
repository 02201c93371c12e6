/* Identity hashes: a number for an object that stays the same while the object moves.
 *
 * Objects have no header bits to spare and addresses change, so the numbers are kept in a table
 * beside the heap, from addresses to hashes, rewritten by the collections that move hashed objects.
 * Only hashed objects cost anything: 16 bytes each and their share of an index, given back after
 * their death, and in minor collections only those hashed since the last one.
 */
#ifndef SPGC_IDENTITY_H
#define SPGC_IDENTITY_H

#include <stdint.h>

#include "spgc/ref.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The object's hash, never 0; 0 when the process has no memory for a new one. The first 2^32 - 1
 * objects hashed since spgc_start have different hashes, in which every bit is evenly distributed.
 * A word outside the heap is hashed by its value. Not a safepoint. Attached threads only. */
uint32_t spgc_identity_hash(struct spgc_ref object);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
