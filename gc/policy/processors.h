#ifndef SPGC_GC_POLICY_PROCESSORS_H
#define SPGC_GC_POLICY_PROCESSORS_H

#include <stdint.h>

#include "gc/policy/control_group.h"

/* Fewer than the thread has if control groups admit less time; at least 1. */
uint32_t spgc_processors(void);

/* The least that the tree's groups admit, in processors' worth of time, rounded up; or
 * UINT32_MAX. */
uint32_t spgc_group_processors(const struct spgc_group_tree *tree);

#endif
