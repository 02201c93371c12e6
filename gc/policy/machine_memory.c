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

#include "support/file_name.h"

/* SIZE_MAX if the file has no number, like "max" in version 2, or cannot be read. */
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

static void note_limit(struct spgc_machine_memory *memory, const char *directory,
                       const char *name) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
    return;
  size_t limit = read_limit(path);
  if (limit >= memory->bytes)
    return;
  memory->bytes = limit;
  strcpy(memory->file, path);
}

/* Above memory.high the kernel slows the group down and reclaims its pages, so a heap beyond it
 * crawls. The soft limit of version 1 binds only when the machine is short of memory. */
static void note_group(void *context, const char *directory, bool is_unified) {
  if (is_unified) {
    note_limit(context, directory, "memory.max");
    note_limit(context, directory, "memory.high");
  } else {
    note_limit(context, directory, "memory.limit_in_bytes");
  }
}

void spgc_group_memory(const struct spgc_group_tree *tree, struct spgc_machine_memory *memory) {
  spgc_groups_visit(tree, "memory", note_group, memory);
}

void spgc_machine_memory_read(struct spgc_machine_memory *memory) {
  memory->bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
  memory->file[0] = '\0';
  spgc_own_groups_visit("memory", note_group, memory);
}

/* In bytes; 0 if it cannot be read. */
static size_t process_bytes(int index) {
  char line[256] = "";
  FILE *file = fopen(SPGC_OWN_FILES "statm", "re");
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
