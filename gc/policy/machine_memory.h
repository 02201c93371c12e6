#ifndef SPGC_GC_POLICY_MACHINE_MEMORY_H
#define SPGC_GC_POLICY_MACHINE_MEMORY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "gc/policy/control_group.h"

struct spgc_machine_memory {
  size_t bytes;
  char file[PATH_MAX]; /* the limiting control group's, or empty */
};

void spgc_machine_memory_read(struct spgc_machine_memory *memory);

/* The least limit of the tree's groups. An unreadable file limits nothing. */
void spgc_group_memory(const struct spgc_group_tree *tree, struct spgc_machine_memory *memory);

/* Half of what setrlimit(2) leaves the process now, or SIZE_MAX. */
size_t spgc_half_of_address_space(void);
size_t spgc_half_of_data(void);

/* Under RLIMIT_DATA and strict overcommit the system counts accessible memory, even without
 * pages. */
bool spgc_accessible_memory_counts(void);

#endif
