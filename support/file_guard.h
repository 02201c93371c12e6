/* Removes files that a process left behind, however the process ended.
 *
 * A guard is a child process. It waits on a pipe whose other end this process holds, and so do the
 * programs that this process starts: a linker that goes on after its parent was killed still holds
 * it. Once nobody does, the guard removes the files and ends. No signal handler is needed, and
 * SIGKILL is covered.
 */
#ifndef SPGC_SUPPORT_FILE_GUARD_H
#define SPGC_SUPPORT_FILE_GUARD_H

#include <sys/types.h>

struct spgc_file_guard {
  pid_t process; /* 0 when the system has no process to give: then only an orderly end removes */
  int pipe;      /* the end that is held */
};

/* Guards the file that will be at `path`, which stays the caller's. Begin before it is created. */
struct spgc_file_guard spgc_file_guard_begin(const char *path);

/* Removes the file if it is there, and ends the guard. */
void spgc_file_guard_end(struct spgc_file_guard *guard, const char *path);

#endif
