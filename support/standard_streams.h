#ifndef SPGC_SUPPORT_STANDARD_STREAMS_H
#define SPGC_SUPPORT_STANDARD_STREAMS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Opens closed standard streams, whose numbers files could take, in the wrong direction, so that
 * each use fails. Call it first in main. */
static inline void spgc_streams_fill(void) {
  static const int wrong_direction[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      (void)!open("/dev/null", wrong_direction[stream]); /* the lowest free number */
}

/* 0 if all printed text was written, else an errno value. */
static inline int spgc_stdout_finish(void) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout))
    return 0;
  return errno != 0 ? errno : EIO;
}

static inline int spgc_stdout_write(const char *bytes, size_t size) {
  errno = 0;
  if (fwrite(bytes, 1, size, stdout) != size && errno != 0)
    return errno;
  return spgc_stdout_finish();
}

#endif
