/* A child process that the program does not notice.
 *
 * It is a copy of the process with the calling thread alone, like that of fork. But no handlers of
 * pthread_atfork run, and its end raises no SIGCHLD and wakes no wait of the program (wait(2),
 * __WCLONE). Other threads may hold locks of the C library at that moment, so the child uses none:
 * no malloc, no stdio, no loader. All signals are blocked in it, handlers of crashes are removed,
 * it keeps one descriptor of the program, and it ends when its parent ends.
 */
#ifndef SPGC_OBSERVE_SNAPSHOT_CHILD_H
#define SPGC_OBSERVE_SNAPSHOT_CHILD_H

#include <sys/types.h>

/* Returns the child's number, 0 in the child, or -1 with errno. The child keeps the descriptor
 * `file` and standard error. */
pid_t spgc_child_begin(int file);

/* Ends the child. `error` is 0 or an errno value. */
_Noreturn void spgc_child_end(int error);

/* How a child ended. */
struct spgc_child_outcome {
  int error;  /* what it gave to spgc_child_end */
  int signal; /* that killed it, or 0 */
};

/* Waits for the child's end. */
struct spgc_child_outcome spgc_child_wait(pid_t child);

#endif
