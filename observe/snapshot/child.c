#include "observe/snapshot/child.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* No handler of the program may run in the child. Other signals are blocked. */
static void forget_handlers(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  const struct sigaction by_default = {.sa_handler = SIG_DFL};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &by_default, NULL);
}

/* A reader may wait until a pipe or socket is closed. */
static void close_all_but(int file) {
  int low = file < STDERR_FILENO ? file : STDERR_FILENO;
  int high = file < STDERR_FILENO ? STDERR_FILENO : file;
  if (low > 0)
    close_range(0, (unsigned)low - 1, 0);
  if (high - low > 1)
    close_range((unsigned)low + 1, (unsigned)high - 1, 0);
  close_range((unsigned)high + 1, ~0U, 0);
}

/* ThreadSanitizer's prctl and _exit take locks that other threads may hold. */
static void control(int option, unsigned long argument) {
  syscall(SYS_prctl, option, argument, 0UL, 0UL, 0UL);
}

void spgc_child_end(int error) {
  for (;;)
    syscall(SYS_exit_group, error);
}

/* Ends if the parent has ended: nobody wants the file then. */
static void settle(pid_t parent, int file) {
  forget_handlers();
  control(PR_SET_PDEATHSIG, SIGKILL);
  control(PR_SET_NAME, (unsigned long)"spgc-snapshot");
  if (getppid() != parent)
    spgc_child_end(ESRCH);
  close_all_but(file);
}

/* Without a signal in clone's flags, the child's end raises none. */
pid_t spgc_child_begin(int file) {
  sigset_t all, before;
  pid_t parent = getpid();
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = (pid_t)syscall(SYS_clone, 0UL, NULL, NULL, NULL, NULL);
  int error = errno;
  if (child == 0)
    settle(parent, file);
  else
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return child;
}

struct spgc_child_outcome spgc_child_wait(pid_t child) {
  int status = 0;
  pid_t ended;
  do
    ended = waitpid(child, &status, __WALL);
  while (ended < 0 && errno == EINTR);
  if (ended < 0)
    return (struct spgc_child_outcome){.error = errno};
  if (WIFSIGNALED(status))
    return (struct spgc_child_outcome){.signal = WTERMSIG(status)};
  return (struct spgc_child_outcome){.error = WEXITSTATUS(status)};
}
