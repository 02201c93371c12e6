#include "gc/policy/machine_memory.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/file_name.h"

static void note_limit(struct spgc_machine_memory *memory, const char *directory,
                       const char *name) {
  uint64_t limit;
  if (!spgc_read_numbers(directory, name, &limit, 1) || limit >= memory->bytes)
    return;
  memory->bytes = (size_t)limit;
  snprintf(memory->file, sizeof memory->file, "%s/%s", directory, name);
}

/* Above memory.high the kernel slows the group down, so a heap beyond it crawls. Version 1's soft
 * limit binds only when the machine is short of memory. */
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

/* Of /proc/PID/statm: proc(5). */
enum { TOTAL = 0, DATA = 5 };

static size_t half_of(const struct rlimit *limit, int column) {
  uint64_t pages[DATA + 1] = {0};
  if (limit->rlim_cur == RLIM_INFINITY)
    return SIZE_MAX;
  spgc_read_numbers(SPGC_OWN_FILES, "statm", pages, column + 1);
  size_t used = (size_t)pages[column] * (size_t)sysconf(_SC_PAGESIZE);
  return limit->rlim_cur > used ? (limit->rlim_cur - used) / 2 : 0;
}

size_t spgc_half_of_address_space(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 ? half_of(&limit, TOTAL) : SIZE_MAX;
}

size_t spgc_half_of_data(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_DATA, &limit) == 0 ? half_of(&limit, DATA) : SIZE_MAX;
}

bool spgc_accessible_memory_counts(void) {
  enum { OVERCOMMIT_NEVER = 2 }; /* Documentation/mm/overcommit-accounting.rst of Linux */
  struct rlimit limit;
  uint64_t overcommit;
  return (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) ||
         (spgc_read_numbers("/proc/sys/vm", "overcommit_memory", &overcommit, 1) &&
          overcommit == OVERCOMMIT_NEVER);
}
