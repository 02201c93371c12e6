/* Control groups (cgroups(7)), with the limits of a process and its threads. */
#ifndef SPGC_GC_POLICY_CONTROL_GROUP_H
#define SPGC_GC_POLICY_CONTROL_GROUP_H

#include <stdbool.h>
#include <stddef.h>

/* Where to look. The caller owns the text. */
struct spgc_group_tree {
  const char *groups;  /* a file like /proc/self/cgroup */
  const char *mounted; /* where the groups are mounted */
};

/* `directory` is a group's. `is_unified`: its files are those of version 2. */
typedef void (*spgc_group_visitor)(void *context, const char *directory, bool is_unified);

/* Visits each group that the file `groups` names for the controller, and its ancestors up to the
 * root. None if the file cannot be read. */
void spgc_groups_visit(const struct spgc_group_tree *tree, const char *controller,
                       spgc_group_visitor visit, void *context);

/* Visits the groups of the process and of the calling thread, which may have its own. The process's
 * are those of its first thread, which may have ended. */
void spgc_own_groups_visit(const char *controller, spgc_group_visitor visit, void *context);

#endif
