/* Removes a process's files when it ends, even by SIGKILL.
 *
 * A guard is a child process that waits on a pipe, whose other end is held by this process and the
 * programs that it starts: a linker may continue after its parent was killed. When none holds it
 * any more, the guard removes the files and ends. */
#ifndef SPGC_SUPPORT_FILE_GUARD_H
#define SPGC_SUPPORT_FILE_GUARD_H

#include <sys/types.h>

struct spgc_file_guard {
  pid_t process; /* 0 if the system refuses a process: then only an orderly end removes the file */
  int pipe;      /* this process's end */
};

/* Call it before the file is created. */
struct spgc_file_guard spgc_file_guard_begin(const char *path);

/* Also removes the file. */
void spgc_file_guard_end(struct spgc_file_guard *guard, const char *path);

#endif
