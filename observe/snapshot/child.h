/* A child process that the program does not notice: like fork's, but no handlers of pthread_atfork
 * run, and its end raises no SIGCHLD and wakes no wait of the program (wait(2), __WCLONE). Other
 * threads may hold locks of the C library, so it uses no malloc, no stdio and no loader. Its
 * signals are blocked, handlers of crashes are removed, and it ends with its parent. */
#ifndef SPGC_OBSERVE_SNAPSHOT_CHILD_H
#define SPGC_OBSERVE_SNAPSHOT_CHILD_H

#include <sys/types.h>

/* Returns the process ID, 0 in the child, or -1 with errno. The child keeps only `file` and
 * standard error open. */
pid_t spgc_child_begin(int file);

/* 0 or an errno value. */
_Noreturn void spgc_child_end(int error);

struct spgc_child_outcome {
  int error;
  int signal; /* the signal that killed it, or 0 */
};

struct spgc_child_outcome spgc_child_wait(pid_t child);

#endif
