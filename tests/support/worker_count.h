#ifndef SPGC_TESTS_WORKER_COUNT_H
#define SPGC_TESTS_WORKER_COUNT_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/assertions.h"

static inline bool thread_is_worker(const char *id) {
  char path[300], name[32] = "";
  snprintf(path, sizeof path, "/proc/self/task/%s/comm", id);
  FILE *file = fopen(path, "r");
  if (file == NULL)
    return false;
  bool is_worker = fgets(name, sizeof name, file) != NULL && strcmp(name, "spgc-worker\n") == 0;
  fclose(file);
  return is_worker;
}

static inline unsigned worker_count(void) {
  DIR *tasks = opendir("/proc/self/task");
  ck_assert_ptr_nonnull(tasks);
  unsigned count = 0;
  for (const struct dirent *entry; (entry = readdir(tasks)) != NULL;)
    count += thread_is_worker(entry->d_name);
  closedir(tasks);
  return count;
}

/* The system may still list a joined thread; one that stays exceeds the test's time limit. */
static inline void worker_count_await(unsigned count) {
  while (worker_count() != count)
    usleep(1000);
}

#endif
