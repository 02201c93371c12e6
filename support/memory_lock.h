/* Locked memory, whose refusals look like those of a system without memory. */
#ifndef SPGC_SUPPORT_MEMORY_LOCK_H
#define SPGC_SUPPORT_MEMORY_LOCK_H

#include <stdbool.h>
#include <stddef.h>

/* Whether mlockall(MCL_FUTURE) locks what the process maps from now on, and RLIMIT_MEMLOCK limits
 * it, to `*bytes`: false for a process that may lock as much as it likes. Asks the system by a
 * mapping that no limit admits. Keeps errno. */
bool spgc_memory_lock_is_limited(size_t *bytes);

#endif
