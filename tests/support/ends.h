#ifndef SPGC_TESTS_ENDS_H
#define SPGC_TESTS_ENDS_H

#include <pthread.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "spgc/thread.h"
#include "tests/support/assertions.h"

/* Takes a pthread_t. */
static inline void *join(void *thread) {
  void *result;
  ck_assert_int_eq(pthread_join(*(pthread_t *)thread, &result), 0);
  return result;
}

/* For an attached caller: others may collect while it waits. */
static inline void *join_blocking(pthread_t thread) {
  return spgc_call_blocking(join, &thread);
}

static inline int status_of(pid_t child) {
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  return status;
}

#endif
