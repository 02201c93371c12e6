#ifndef SPGC_GC_POLICY_PROCESSORS_H
#define SPGC_GC_POLICY_PROCESSORS_H

#include <stdint.h>

#include "gc/policy/control_group.h"

/* Processors that the calling thread may run on, or fewer if control groups admit less time; at
 * least 1. */
uint32_t spgc_processors(void);

/* Processors' worth of time that the tree's groups admit, rounded up so that all of it can be used:
 * the least of all groups. UINT32_MAX if none limits it, or nothing can be read. */
uint32_t spgc_group_processors(const struct spgc_group_tree *tree);

#endif
