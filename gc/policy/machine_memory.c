#include "gc/policy/machine_memory.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static size_t lesser(size_t a, size_t b) {
  return a < b ? a : b;
}

/* The number in a file; SIZE_MAX when it holds none, as "max" in version 2, or cannot be read. */
static size_t read_limit(const char *path) {
  char text[32] = "";
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return SIZE_MAX;
  bool is_number = fgets(text, sizeof text, file) != NULL && text[0] >= '0' && text[0] <= '9';
  fclose(file);
  errno = 0;
  unsigned long long limit = strtoull(text, NULL, 10);
  return is_number && errno == 0 ? (size_t)limit : SIZE_MAX;
}

/* Of a group and those it lies in: `directory` is that of the root group, `group` begins with a
 * slash or is empty. */
static size_t least_limit(const char *directory, char *group, const char *name) {
  size_t least = SIZE_MAX;
  for (;;) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s%s/%s", directory, group, name) < (int)sizeof path)
      least = lesser(least, read_limit(path));
    char *last = strrchr(group, '/');
    if (last == NULL)
      return least;
    *last = '\0';
  }
}

/* In a list that commas separate. */
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

/* A line is "hierarchy:controllers:group"; version 2 has no controllers. */
static size_t limit_of_line(char *line, const char *mounted) {
  char *controllers = strchr(line, ':'),
       *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
  if (group == NULL)
    return SIZE_MAX;
  *group++ = '\0';
  controllers++;
  group[strcspn(group, "\n")] = '\0';
  if (*controllers == '\0')
    return least_limit(mounted, group, "memory.max");
  if (!is_listed(controllers, "memory"))
    return SIZE_MAX;
  char directory[PATH_MAX];
  if (snprintf(directory, sizeof directory, "%s/memory", mounted) >= (int)sizeof directory)
    return SIZE_MAX;
  return least_limit(directory, group, "memory.limit_in_bytes");
}

size_t spgc_group_memory(const char *groups, const char *mounted) {
  FILE *file = fopen(groups, "re");
  if (file == NULL)
    return SIZE_MAX;
  size_t least = SIZE_MAX, capacity = 0;
  char *line = NULL;
  while (getline(&line, &capacity, file) >= 0)
    least = lesser(least, limit_of_line(line, mounted));
  free(line);
  fclose(file);
  return least;
}

size_t spgc_machine_memory(void) {
  size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
  return lesser(memory, spgc_group_memory("/proc/self/cgroup", "/sys/fs/cgroup"));
}

/* Field `index` of /proc/self/statm, in bytes; 0 when it cannot be read. */
static size_t process_bytes(int index) {
  char line[256] = "";
  FILE *file = fopen("/proc/self/statm", "re");
  if (file == NULL)
    return 0;
  char *at = fgets(line, sizeof line, file);
  fclose(file);
  unsigned long pages = 0;
  for (int i = 0; at != NULL && i <= index; i++)
    pages = strtoul(at, &at, 10);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static size_t half_of(const struct rlimit *limit, int index) {
  if (limit->rlim_cur == RLIM_INFINITY)
    return SIZE_MAX;
  size_t used = process_bytes(index);
  return limit->rlim_cur > used ? (limit->rlim_cur - used) / 2 : 0;
}

size_t spgc_half_of_address_space(void) {
  enum { TOTAL = 0 };
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 ? half_of(&limit, TOTAL) : SIZE_MAX;
}

size_t spgc_half_of_data(void) {
  enum { DATA = 5 };
  struct rlimit limit;
  return getrlimit(RLIMIT_DATA, &limit) == 0 ? half_of(&limit, DATA) : SIZE_MAX;
}
