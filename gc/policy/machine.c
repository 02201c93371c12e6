#include "gc/policy/machine.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/file_name.h"

/* `is_unified`: files of version 2. */
typedef void group_visitor(void *context, const char *directory, bool is_unified);

struct visit {
  const char *controller;
  group_visitor *visitor;
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

/* Visits the groups that the file names for the controller, and their ancestors. */
static void visit_groups(const struct spgc_group_tree *tree, const struct visit *visit) {
  FILE *file = fopen(tree->groups, "re");
  if (file == NULL)
    return;
  size_t capacity = 0;
  char *line = NULL;
  while (getline(&line, &capacity, file) >= 0)
    visit_line(visit, line, tree->mounted);
  free(line);
  fclose(file);
}

/* The groups of the process's first thread, which may have ended, and of the calling one. */
static void visit_own_groups(const struct visit *visit) {
  static const char *const files[] = {"/proc/self/cgroup", "/proc/thread-self/cgroup"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    visit_groups(&(struct spgc_group_tree){files[i], "/sys/fs/cgroup"}, visit);
}

/* Reads numbers at the start of a file, separated by blanks. False if there are fewer, as in
 * "max". */
static bool read_numbers(const char *directory, const char *name, uint64_t *numbers, int wanted) {
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

static void note_limit(struct spgc_machine_memory *memory, const char *directory,
                       const char *name) {
  uint64_t limit;
  if (!read_numbers(directory, name, &limit, 1) || limit >= memory->bytes)
    return;
  memory->bytes = (size_t)limit;
  snprintf(memory->file, sizeof memory->file, "%s/%s", directory, name);
}

/* Above memory.high the kernel slows the group down. Version 1's soft limit binds only when the
 * machine is short of memory. */
static void note_memory(void *context, const char *directory, bool is_unified) {
  if (is_unified) {
    note_limit(context, directory, "memory.max");
    note_limit(context, directory, "memory.high");
  } else {
    note_limit(context, directory, "memory.limit_in_bytes");
  }
}

void spgc_group_memory(const struct spgc_group_tree *tree, struct spgc_machine_memory *memory) {
  visit_groups(tree, &(struct visit){"memory", note_memory, memory});
}

void spgc_machine_memory_read(struct spgc_machine_memory *memory) {
  memory->bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
  memory->file[0] = '\0';
  visit_own_groups(&(struct visit){"memory", note_memory, memory});
}

/* Of /proc/PID/statm: proc(5). */
enum { TOTAL = 0, DATA = 5 };

static size_t half_of(__rlimit_resource_t resource, int column) {
  struct rlimit limit;
  uint64_t pages[DATA + 1] = {0};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return SIZE_MAX;
  read_numbers(SPGC_OWN_FILES, "statm", pages, column + 1);
  size_t used = (size_t)pages[column] * (size_t)sysconf(_SC_PAGESIZE);
  return limit.rlim_cur > used ? (limit.rlim_cur - used) / 2 : 0;
}

size_t spgc_half_of_address_space(void) {
  return half_of(RLIMIT_AS, TOTAL);
}

size_t spgc_half_of_data(void) {
  return half_of(RLIMIT_DATA, DATA);
}

bool spgc_accessible_memory_counts(void) {
  enum { OVERCOMMIT_NEVER = 2 }; /* Documentation/mm/overcommit-accounting.rst of Linux */
  struct rlimit limit;
  uint64_t overcommit;
  return (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) ||
         (read_numbers("/proc/sys/vm", "overcommit_memory", &overcommit, 1) &&
          overcommit == OVERCOMMIT_NEVER);
}

/* Version 2 has "QUOTA PERIOD" in microseconds, or "max PERIOD"; version 1 a file for each, and -1
 * without a quota. */
static void note_processors(void *context, const char *directory, bool is_unified) {
  uint32_t *least = context;
  uint64_t numbers[2] = {0}; /* quota, period */
  bool is_limited = is_unified ? read_numbers(directory, "cpu.max", numbers, 2)
                               : read_numbers(directory, "cpu.cfs_quota_us", &numbers[0], 1) &&
                                     read_numbers(directory, "cpu.cfs_period_us", &numbers[1], 1);
  if (!is_limited || numbers[1] == 0)
    return;
  uint64_t processors = numbers[0] / numbers[1] + (numbers[0] % numbers[1] != 0);
  if (processors < *least)
    *least = processors != 0 ? (uint32_t)processors : 1;
}

uint32_t spgc_group_processors(const struct spgc_group_tree *tree) {
  uint32_t least = UINT32_MAX;
  visit_groups(tree, &(struct visit){"cpu", note_processors, &least});
  return least;
}

uint32_t spgc_processors(void) {
  cpu_set_t processors;
  bool are_known = sched_getaffinity(0, sizeof processors, &processors) == 0;
  uint32_t least = are_known ? (uint32_t)CPU_COUNT(&processors) : 1;
  visit_own_groups(&(struct visit){"cpu", note_processors, &least});
  return least;
}
