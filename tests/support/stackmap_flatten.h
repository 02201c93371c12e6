/* The flat map of LLVM's maps in this process. */
#ifndef SPGC_TESTS_STACKMAP_FLATTEN_H
#define SPGC_TESTS_STACKMAP_FLATTEN_H

#include <stddef.h>

#include "spgc/flat_stackmap.h"

/* One map for all code between the first and the last function listed, ready to be registered;
 * freed by the caller. Functions' sizes come from their unwind information; calls have 5 bytes. */
struct spgc_flat_header *stackmap_flatten(const void *section, size_t size);

#endif
