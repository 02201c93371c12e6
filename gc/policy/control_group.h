/* Control groups, with the limits of a process and its threads: cgroups(7). */
#ifndef SPGC_GC_POLICY_CONTROL_GROUP_H
#define SPGC_GC_POLICY_CONTROL_GROUP_H

#include <stdbool.h>
#include <stdint.h>

struct spgc_group_tree {
  const char *groups; /* a file like /proc/self/cgroup */
  const char *mounted;
};

/* `is_unified`: files of version 2. */
typedef void (*spgc_group_visitor)(void *context, const char *directory, bool is_unified);

/* Visits the groups that the file `groups` names for the controller, and their ancestors. */
void spgc_groups_visit(const struct spgc_group_tree *tree, const char *controller,
                       spgc_group_visitor visit, void *context);

/* The groups of the process's first thread, which may have ended, and of the calling one. */
void spgc_own_groups_visit(const char *controller, spgc_group_visitor visit, void *context);

/* Reads numbers at the start of a file, separated by blanks. False if there are fewer, as in
 * "max". */
bool spgc_read_numbers(const char *directory, const char *name, uint64_t *numbers, int wanted);

#endif
