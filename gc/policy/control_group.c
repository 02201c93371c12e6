#include "gc/policy/control_group.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct visit {
  const char *controller;
  spgc_group_visitor visitor;
  void *context;
};

/* Visits the groups up to the root, whose directory is `root`; `group` begins with a slash or is
 * empty. */
static void visit_upwards(const struct visit *visit, const char *root, char *group,
                          bool is_unified) {
  for (;;) {
    char directory[PATH_MAX];
    if (snprintf(directory, sizeof directory, "%s%s", root, group) < (int)sizeof directory)
      visit->visitor(visit->context, directory, is_unified);
    char *last = strrchr(group, '/');
    if (last == NULL)
      return;
    *last = '\0';
  }
}

static bool is_listed(const char *list, const char *name) {
  for (;;) {
    size_t length = strcspn(list, ",");
    if (length == strlen(name) && strncmp(list, name, length) == 0)
      return true;
    if (list[length] == '\0')
      return false;
    list += length + 1;
  }
}

/* "hierarchy:controllers:group"; version 2 has no controllers. */
static void visit_line(const struct visit *visit, char *line, const char *mounted) {
  char *controllers = strchr(line, ':'),
       *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
  if (group == NULL)
    return;
  *group++ = '\0';
  controllers++;
  group[strcspn(group, "\n")] = '\0';
  char root[PATH_MAX];
  if (*controllers == '\0')
    visit_upwards(visit, mounted, group, true);
  else if (is_listed(controllers, visit->controller) &&
           snprintf(root, sizeof root, "%s/%s", mounted, visit->controller) < (int)sizeof root)
    visit_upwards(visit, root, group, false);
}

void spgc_groups_visit(const struct spgc_group_tree *tree, const char *controller,
                       spgc_group_visitor visitor, void *context) {
  const struct visit visit = {controller, visitor, context};
  FILE *file = fopen(tree->groups, "re");
  if (file == NULL)
    return;
  size_t capacity = 0;
  char *line = NULL;
  while (getline(&line, &capacity, file) >= 0)
    visit_line(&visit, line, tree->mounted);
  free(line);
  fclose(file);
}

void spgc_own_groups_visit(const char *controller, spgc_group_visitor visitor, void *context) {
  static const char *const files[] = {"/proc/self/cgroup", "/proc/thread-self/cgroup"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    spgc_groups_visit(&(struct spgc_group_tree){files[i], "/sys/fs/cgroup"}, controller, visitor,
                      context);
}

bool spgc_read_numbers(const char *directory, const char *name, uint64_t *numbers, int wanted) {
  char path[PATH_MAX], text[256] = "";
  if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
    return false;
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return false;
  const char *next = fgets(text, sizeof text, file);
  fclose(file);
  for (int i = 0; i < wanted; i++) {
    char *end;
    if (next == NULL || *next < '0' || *next > '9')
      return false;
    errno = 0;
    numbers[i] = strtoull(next, &end, 10);
    if (errno != 0)
      return false;
    next = *end == ' ' ? end + 1 : NULL;
  }
  return true;
}
