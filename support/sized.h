/* Public structures that may grow begin with a size_t: the bytes that the caller knows
 * (docs/abi.md). */
#ifndef SPGC_SUPPORT_SIZED_H
#define SPGC_SUPPORT_SIZED_H

#include <stdbool.h>
#include <stddef.h>

#include "spgc/result.h"

/* Copies the caller's structure into `own`, whose `own_size` bytes have the defaults; they remain
 * beyond the caller's. `caller` names the function in messages. After an error `own` is undefined:
 * SPGC_ERROR_INVALID_ARGUMENT for a size that no release has; SPGC_ERROR_UNSUPPORTED if a byte
 * beyond `own_size` is not 0, because it sets an option that this library does not know. */
enum spgc_result spgc_sized_read(void *own, size_t own_size, const void *given, const char *caller,
                                 struct spgc_error *error);

/* Fills the caller's structure from `own`, then with zeros, and keeps the caller's size. A size
 * that no release has is fatal; the message names `caller`. */
void spgc_sized_write(void *given, const void *own, size_t own_size, const char *caller);

/* Whether a byte of `own` beyond the caller's structure is not 0. */
bool spgc_sized_loses(const void *given, const void *own, size_t own_size);

#endif
