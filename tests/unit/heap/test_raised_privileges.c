/* The program runs itself, and a copy that is setuid to another user. Without root's privileges the
 * test is skipped. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spgc/heap.h"

enum { SKIPPED = 77, NOBODY = 65534 };

enum outcome { STARTED = 10, REFUSED, NOT_RAISED };

static char folder[] = "/tmp/spgc-raised-XXXXXX";
static char copy[sizeof folder + sizeof "/program"];

static void remove_files(void) {
  unlink(copy);
  rmdir(folder);
}

static int skip(const char *reason) {
  fprintf(stderr, "skipped: %s\n", reason);
  return SKIPPED;
}

static void require(bool condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(EXIT_FAILURE);
}

/* SPGC_OPTIONS is wrong. */
static int start_heap(bool wants_raised) {
  struct spgc_error error = {0};
  if (wants_raised != (getauxval(AT_SECURE) != 0))
    return NOT_RAISED;
  if (spgc_start(NULL, &error) == SPGC_OK) {
    spgc_stop();
    return STARTED;
  }
  return strstr(error.message, "SPGC_OPTIONS") != NULL ? REFUSED : EXIT_FAILURE;
}

static int run(const char *program, const char *mode) {
  pid_t process = fork();
  require(process >= 0, "fork");
  if (process == 0) {
    setenv("SPGC_OPTIONS", "no-such-option", 1);
    execl(program, program, mode, (char *)NULL);
    _exit(EXIT_FAILURE);
  }
  int status;
  require(waitpid(process, &status, 0) == process && WIFEXITED(status), "the program was ended");
  return WEXITSTATUS(status);
}

static void make_setuid_copy(void) {
  struct stat self;
  int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  require(in >= 0 && fstat(in, &self) == 0, "/proc/self/exe");
  require(mkdtemp(folder) != NULL && chmod(folder, 0755) == 0, folder);
  snprintf(copy, sizeof copy, "%s/program", folder);
  atexit(remove_files);
  int out = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  require(out >= 0, copy);
  for (off_t rest = self.st_size; rest > 0;) {
    ssize_t sent = sendfile(out, in, NULL, (size_t)rest);
    require(sent > 0, copy);
    rest -= sent;
  }
  require(fchown(out, NOBODY, NOBODY) == 0 && fchmod(out, 04755) == 0, "chown, chmod");
  require(close(out) == 0 && close(in) == 0, copy);
}

int main(int count, char **words) {
  if (count == 2)
    return start_heap(strcmp(words[1], "raised") == 0);
  if (geteuid() != 0)
    return skip("not root, which alone can make a setuid program of another user");
  require(run("/proc/self/exe", "plain") == REFUSED, "the plain program did not read the options");
  make_setuid_copy();
  int outcome = run(copy, "raised");
  if (outcome == NOT_RAISED)
    return skip("/tmp is mounted with nosuid, or the process may gain no privileges");
  if (outcome != STARTED)
    fprintf(stderr, "the setuid program ended with %d\n", outcome);
  return outcome == STARTED ? EXIT_SUCCESS : EXIT_FAILURE;
}
