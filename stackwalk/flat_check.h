/* Checks that a flat map may be used: everything it refers to lies within it, and it keeps the
 * invariants of frame descriptions. */
#ifndef SPGC_STACKWALK_FLAT_CHECK_H
#define SPGC_STACKWALK_FLAT_CHECK_H

#include "stackwalk/flat_view.h"

/* Checks the map at `position` in a section of `size` bytes. Returns SPGC_ERROR_MALFORMED or
 * SPGC_ERROR_UNSUPPORTED with the byte offset in the section. */
enum spgc_result spgc_flat_check(const void *section, size_t size, size_t position,
                                 struct spgc_error *error);

#endif
