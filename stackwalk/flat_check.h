#ifndef SPGC_STACKWALK_FLAT_CHECK_H
#define SPGC_STACKWALK_FLAT_CHECK_H

#include "stackwalk/flat_view.h"

/* Checks that the flat map at `position` may be used: everything it refers to is in the section,
 * and it keeps the invariants of frame descriptions. SPGC_ERROR_MALFORMED or SPGC_ERROR_UNSUPPORTED
 * with the byte offset in the section. */
enum spgc_result spgc_flat_check(const void *section, size_t size, size_t position,
                                 struct spgc_error *error);

#endif
