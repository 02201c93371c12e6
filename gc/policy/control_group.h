/* Control groups (cgroups(7)): the limits that a process and its threads are under. */
#ifndef SPGC_GC_POLICY_CONTROL_GROUP_H
#define SPGC_GC_POLICY_CONTROL_GROUP_H

#include <stdbool.h>
#include <stddef.h>

/* Where to look. The text is the caller's. */
struct spgc_group_tree {
  const char *groups;  /* a file as /proc/self/cgroup is one */
  const char *mounted; /* the directory where the groups are mounted */
};

/* `directory` is that of a group. `is_unified`: its files are those of version 2. */
typedef void (*spgc_group_visitor)(void *context, const char *directory, bool is_unified);

/* Visits each group that the file `groups` names for the controller, and those it lies in, up to
 * the root. None when the file cannot be read. */
void spgc_groups_visit(const struct spgc_group_tree *tree, const char *controller,
                       spgc_group_visitor visit, void *context);

/* The same for the groups of the process and of the calling thread, which may be in one of its own.
 * The process's are those of its first thread, which may have ended. */
void spgc_own_groups_visit(const char *controller, spgc_group_visitor visit, void *context);

#endif
