#include "gc/policy/processors.h"

#include <sched.h>

/* Version 2 has "QUOTA PERIOD" in microseconds, or "max PERIOD"; version 1 a file for each, and -1
 * without a quota. */
static bool read_quota(const char *directory, bool is_unified, uint64_t *quota, uint64_t *period) {
  uint64_t numbers[2] = {0};
  bool is_limited = is_unified
                        ? spgc_read_numbers(directory, "cpu.max", numbers, 2)
                        : spgc_read_numbers(directory, "cpu.cfs_quota_us", &numbers[0], 1) &&
                              spgc_read_numbers(directory, "cpu.cfs_period_us", &numbers[1], 1);
  *quota = numbers[0];
  *period = numbers[1];
  return is_limited && *period != 0;
}

static void note_group(void *context, const char *directory, bool is_unified) {
  uint32_t *least = context;
  uint64_t quota, period;
  if (!read_quota(directory, is_unified, &quota, &period))
    return;
  uint64_t processors = quota / period + (quota % period != 0);
  if (processors < *least)
    *least = processors != 0 ? (uint32_t)processors : 1;
}

uint32_t spgc_group_processors(const struct spgc_group_tree *tree) {
  uint32_t least = UINT32_MAX;
  spgc_groups_visit(tree, "cpu", note_group, &least);
  return least;
}

static uint32_t processors_of_thread(void) {
  cpu_set_t processors;
  return sched_getaffinity(0, sizeof processors, &processors) == 0
             ? (uint32_t)CPU_COUNT(&processors)
             : 1;
}

uint32_t spgc_processors(void) {
  uint32_t least = processors_of_thread();
  spgc_own_groups_visit("cpu", note_group, &least);
  return least;
}
