#include "tests/support/fatal_check.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/assertions.h"

static void run_child(void (*body)(void), int error_output) {
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  signal(SIGABRT, SIG_DFL);
  dup2(error_output, STDERR_FILENO);
  body();
  _exit(0);
}

void check_ends_by(void (*body)(void), int signal_number, const char *message) {
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0)
    run_child(body, ends[1]);
  close(ends[1]);
  char output[2048];
  size_t used = 0;
  ssize_t got;
  while (used < sizeof output - 1 &&
         (got = read(ends[0], output + used, sizeof output - 1 - used)) > 0)
    used += (size_t)got;
  output[used] = '\0';
  close(ends[0]);
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == signal_number,
                "not ended by signal %d; standard error: %s", signal_number, output);
  ck_assert_msg(strstr(output, message) != NULL, "expected \"%s\" in: %s", message, output);
}

void check_is_fatal(void (*body)(void), const char *message) {
  check_ends_by(body, SIGABRT, message);
}
