#ifndef TESTS_SUPPORT_SLEEPING_THREAD_H
#define TESTS_SUPPORT_SLEEPING_THREAD_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/fatal.h"

/* `thread` is its system number. */
static inline bool thread_sleeps(int thread) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE *file = fopen(path, "r");
  spgc_require(file != NULL && fgets(text, sizeof text, file) != NULL, "a thread has no state");
  fclose(file);
  return strstr(text, ") S ") != NULL;
}

#endif
