/* By seccomp(2), in child processes: a forbidden call ends the process by SIGSYS, or fails. */
#ifndef SPGC_TESTS_SYSTEM_CALLS_H
#define SPGC_TESTS_SYSTEM_CALLS_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "support/fatal.h"

enum { MOST_SYSTEM_CALLS = 40 };

static inline void system_calls_treat(const int *listed, unsigned count, unsigned treat_listed,
                                      unsigned treat_others) {
  struct sock_filter program[MOST_SYSTEM_CALLS + 3];
  unsigned used = 0;
  spgc_require(count <= MOST_SYSTEM_CALLS, "too many system calls");
  program[used++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (unsigned i = 0; i < count; i++)
    program[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)listed[i],
                                                   (unsigned char)(count - i), 0);
  program[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, treat_others);
  program[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, treat_listed);
  const struct sock_fprog filter = {(unsigned short)used, program};
  spgc_require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                   prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0,
               "no filter of system calls to be had");
}

/* Listed calls end the process and others do not, or vice versa. */
static inline void system_calls_filter(const int *listed, unsigned count, bool listed_may) {
  const unsigned kill = SECCOMP_RET_KILL_PROCESS, allow = SECCOMP_RET_ALLOW;
  system_calls_treat(listed, count, listed_may ? allow : kill, listed_may ? kill : allow);
}

static inline void system_calls_refuse(const int *listed, unsigned count, unsigned error) {
  system_calls_treat(listed, count, SECCOMP_RET_ERRNO | error, SECCOMP_RET_ALLOW);
}

/* Afterwards the thread can only end. */
static inline void system_calls_forbid(void) {
  static const int may[] = {SYS_exit_group, SYS_exit};
  system_calls_filter(may, sizeof may / sizeof *may, true);
}

#endif
