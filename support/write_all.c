#include "support/write_all.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static void fill_with_signals(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGXFSZ);
  sigaddset(set, SIGPIPE);
}

/* Takes the write's signal, unless one was pending before. */
static void take_signal(const sigset_t *pending_before, int signal) {
  sigset_t set;
  const struct timespec at_once = {0};
  if (sigismember(pending_before, signal))
    return;
  sigemptyset(&set);
  sigaddset(&set, signal);
  while (sigtimedwait(&set, NULL, &at_once) < 0 && errno == EINTR)
    ;
}

static int write_bytes(int file, const char *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = write(file, bytes + done, size - done);
    if (count >= 0)
      done += (size_t)count;
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

int spgc_write_all(int file, const void *bytes, size_t size) {
  sigset_t held, before, pending;
  fill_with_signals(&held);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  sigpending(&pending);
  int error = write_bytes(file, bytes, size);
  if (error == EFBIG)
    take_signal(&pending, SIGXFSZ);
  if (error == EPIPE)
    take_signal(&pending, SIGPIPE);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}
