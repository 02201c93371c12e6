#ifndef SPGC_SUPPORT_MEMORY_LOCK_H
#define SPGC_SUPPORT_MEMORY_LOCK_H

#include <stdbool.h>
#include <stddef.h>

/* Whether mlockall(MCL_FUTURE) locks new mappings and RLIMIT_MEMLOCK limits them, to `*bytes`.
 * Tries a mapping that no limit allows. Keeps errno. */
bool spgc_memory_lock_is_limited(size_t *bytes);

#endif
