/* A child process that the program does not notice. Like fork's, it is a copy of the process with
 * the calling thread alone. But no handlers of pthread_atfork run, and its end raises no SIGCHLD
 * and wakes no wait of the program (wait(2), __WCLONE). Other threads may hold locks of the C
 * library, so the child uses none: no malloc, no stdio, no loader. All signals are blocked in it,
 * handlers of crashes are removed, it keeps one descriptor of the program, and it ends when its
 * parent ends. */
#ifndef SPGC_OBSERVE_SNAPSHOT_CHILD_H
#define SPGC_OBSERVE_SNAPSHOT_CHILD_H

#include <sys/types.h>

/* Returns the child's process ID, 0 in the child, or -1 with errno. The child keeps `file` and
 * standard error. */
pid_t spgc_child_begin(int file);

/* `error` is 0 or an errno value. */
_Noreturn void spgc_child_end(int error);

struct spgc_child_outcome {
  int error;  /* its argument of spgc_child_end */
  int signal; /* the signal that killed it, or 0 */
};

struct spgc_child_outcome spgc_child_wait(pid_t child);

#endif
