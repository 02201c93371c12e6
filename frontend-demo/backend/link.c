/* Executables: the object of a program, the language's runtime and the collector, linked by the
 * system's C compiler. */
#include "frontend-demo/backend/link.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "frontend-demo/driver/exit_code.h"

extern char **environ;

static int wait_for(pid_t child, const char *compiler) {
  int status;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      fprintf(stderr, "lox: cannot wait for \"%s\": %s\n", compiler, strerror(errno));
      return LOX_EXIT_SYSTEM;
    }
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return LOX_EXIT_OK;
  if (WIFSIGNALED(status))
    fprintf(stderr, "lox: \"%s\" was ended by signal %d while linking\n", compiler,
            WTERMSIG(status));
  else
    fprintf(stderr, "lox: linking with \"%s\" failed; its messages are above\n", compiler);
  return LOX_EXIT_CANNOT_CREATE;
}

static int link_with(const char *compiler, const char *unwinder, const char *object,
                     const struct lox_libraries *libraries, const char *output) {
  const char *arguments[] = {compiler,
                             "-o",
                             output,
                             object,
                             libraries->paths[LOX_LIBRARY_MAIN],
                             libraries->paths[LOX_LIBRARY_RUNTIME],
                             libraries->paths[LOX_LIBRARY_GC],
                             unwinder,
                             "-lunwind",
                             "-lpthread",
                             "-lm",
                             NULL};
  pid_t child;
  int error = posix_spawnp(&child, compiler, NULL, NULL, (char *const *)arguments, environ);
  if (error == 0)
    return wait_for(child, compiler);
  fprintf(stderr, "lox: cannot run the C compiler \"%s\", which links executables: %s%s\n",
          compiler, strerror(error),
          error == ENOENT ? " (install one, or name one in the environment variable CC)" : "");
  return LOX_EXIT_SYSTEM;
}

/* NULL when memory is exhausted. */
static char *compiler_for(const char *target) {
  const char *chosen = getenv("CC");
  char *name;
  if (chosen && *chosen)
    return strdup(chosen);
  if (!target)
    return strdup("cc");
  return asprintf(&name, "%s-gcc", target) < 0 ? NULL : name;
}

static char *unwinder_for(const char *target) {
  const char *machine = target ? target : LOX_PROCESSOR;
  char *name;
  return asprintf(&name, "-lunwind-%.*s", (int)strcspn(machine, "-"), machine) < 0 ? NULL : name;
}

int lox_link(const char *object, const struct lox_libraries *libraries, const char *output) {
  char *compiler = compiler_for(libraries->target), *unwinder = unwinder_for(libraries->target);
  int code = LOX_EXIT_SYSTEM;
  if (compiler && unwinder)
    code = link_with(compiler, unwinder, object, libraries, output);
  else
    fputs("lox: out of memory\n", stderr);
  free(compiler);
  free(unwinder);
  return code;
}
