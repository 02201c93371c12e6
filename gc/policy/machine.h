/* What the process may use of the machine: its control groups (cgroups(7)) and resource limits may
 * admit less than there is. */
#ifndef SPGC_GC_POLICY_MACHINE_H
#define SPGC_GC_POLICY_MACHINE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spgc_machine_memory {
  size_t bytes;
  char file[PATH_MAX]; /* the limiting control group's, or empty */
};

void spgc_machine_memory_read(struct spgc_machine_memory *memory);

/* Half of what setrlimit(2) leaves the process now, or SIZE_MAX. */
size_t spgc_half_of_address_space(void);
size_t spgc_half_of_data(void);

/* Under RLIMIT_DATA and strict overcommit the system counts accessible memory, even without
 * pages. */
bool spgc_accessible_memory_counts(void);

/* Fewer than the thread has if control groups admit less time; at least 1. */
uint32_t spgc_processors(void);

struct spgc_group_tree {
  const char *groups; /* a file like /proc/self/cgroup */
  const char *mounted;
};

/* The least limit of the tree's groups. An unreadable file limits nothing. */
void spgc_group_memory(const struct spgc_group_tree *tree, struct spgc_machine_memory *memory);

/* In processors' worth of time, rounded up; or UINT32_MAX. */
uint32_t spgc_group_processors(const struct spgc_group_tree *tree);

#endif
