/* Included before every file by ./dev coverage: a process writes its counters however it ends. */
#ifndef SPGC_TESTS_COVERAGE_H
#define SPGC_TESTS_COVERAGE_H

#ifndef __ASSEMBLER__
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

void __gcov_dump(void);

#define abort() (__gcov_dump(), (abort)())
#define _exit(status) (__gcov_dump(), (_exit)(status))

#define SPGC_OF_ONE_FILE __attribute__((weak, visibility("hidden")))

SPGC_OF_ONE_FILE void spgc_coverage_end(int signal);
SPGC_OF_ONE_FILE void spgc_coverage_end(int signal) {
  __gcov_dump();
  raise(signal);
}

SPGC_OF_ONE_FILE __attribute__((constructor)) void spgc_coverage_start(void);
SPGC_OF_ONE_FILE __attribute__((constructor)) void spgc_coverage_start(void) {
  static bool is_started;
  struct sigaction now;
  if (is_started)
    return;
  is_started = true;
  sigaction(SIGSEGV, NULL, &now);
  if (now.sa_handler == SIG_DFL)
    sigaction(SIGSEGV,
              &(struct sigaction){.sa_handler = spgc_coverage_end,
                                  .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)},
              NULL);
}
#endif

#endif
