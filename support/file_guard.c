#include "support/file_guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Safe after a fork of a process with threads. Keeps no descriptors open, because a reader may
 * await their closing. */
static _Noreturn void stand_guard(const char *path, int pipe) {
  setsid(); /* the terminal's signals are for the parent */
  dup2(pipe, 0);
  closefrom(1);
  char dismissed;
  ssize_t count;
  do
    count = read(0, &dismissed, 1);
  while (count < 0 && errno == EINTR);
  if (count == 0)
    unlink(path);
  _exit(0);
}

struct spgc_file_guard spgc_file_guard_begin(const char *path) {
  struct spgc_file_guard guard = {0};
  int ends[2];
  if (pipe(ends) != 0)
    return guard;
  pid_t process = fork();
  if (process == 0) {
    close(ends[1]);
    stand_guard(path, ends[0]);
  }
  close(ends[0]);
  if (process < 0)
    close(ends[1]);
  else
    guard = (struct spgc_file_guard){.process = process, .pipe = ends[1]};
  return guard;
}

/* A guard that was killed does not read. */
static void dismiss(int pipe) {
  struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
  sigaction(SIGPIPE, &ignored, &before);
  ssize_t written;
  do
    written = write(pipe, "", 1);
  while (written < 0 && errno == EINTR);
  sigaction(SIGPIPE, &before, NULL);
}

void spgc_file_guard_end(struct spgc_file_guard *guard, const char *path) {
  unlink(path);
  if (guard->process == 0)
    return;
  dismiss(guard->pipe);
  close(guard->pipe);
  while (waitpid(guard->process, NULL, 0) < 0 && errno == EINTR)
    ;
  guard->process = 0;
}
