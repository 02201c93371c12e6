#include "frontend-demo/driver/driver.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/file_name.h"

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

enum { LIBRARIES = 3 };

/* Relative to frontend-demo/ in a build tree, and to an installation's libraries. */
static const char *const places[LIBRARIES][2] = {{"runtime/liblox_main.a", "liblox_main.a"},
                                                 {"runtime/liblox_runtime.a", "liblox_runtime.a"},
                                                 {"../gc/libspgc.a", "libspgc.a"}};

struct folders {
  char built[PATH_MAX], installed[PATH_MAX];
};

static bool own_folder(char folder[PATH_MAX]) {
  ssize_t length = readlink(SPGC_OWN_FILES "exe", folder, PATH_MAX);
  if (length < 0 || length >= PATH_MAX)
    return false;
  folder[length] = '\0';
  char *slash = strrchr(folder, '/');
  if (slash)
    *slash = '\0';
  return slash;
}

static bool find_folders(const char *own, const char *target, struct folders *folders) {
  int built = 0, installed = 0;
  if (target) {
    built = snprintf(folders->built, PATH_MAX, "%s/../cross-%.*s/frontend-demo", own,
                     (int)strcspn(target, "-"), target);
    installed = snprintf(folders->installed, PATH_MAX, "%s/../lib/%s", own, target);
  } else {
    built = snprintf(folders->built, PATH_MAX, "%s", own);
    installed = snprintf(folders->installed, PATH_MAX, "%s/../" LOX_INSTALLED_LIBRARIES, own);
  }
  return built < PATH_MAX && installed < PATH_MAX;
}

static bool is_readable(char path[PATH_MAX], const char *folder, const char *name) {
  return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX && access(path, R_OK) == 0;
}

static bool find_libraries(const char *target, char paths[LIBRARIES][PATH_MAX]) {
  char own[PATH_MAX];
  struct folders folders;
  if (!own_folder(own) || !find_folders(own, target, &folders)) {
    fputs("lox: cannot tell where this executable is, so cannot find its libraries\n", stderr);
    return false;
  }
  for (int i = 0; i < LIBRARIES; i++) {
    const char *built = places[i][0], *installed = places[i][1];
    if (!is_readable(paths[i], folders.built, built) &&
        !is_readable(paths[i], folders.installed, installed)) {
      fprintf(stderr, "lox: cannot find %s: neither %s/%s nor %s/%s can be read\n", installed,
              folders.built, built, folders.installed, installed);
      return false;
    }
  }
  return true;
}

int lox_link(const char *object, const char *target, const char *output) {
  char libraries[LIBRARIES][PATH_MAX], cross[PATH_MAX], unwinder[PATH_MAX];
  if (!find_libraries(target, libraries))
    return LOX_EXIT_SYSTEM;
  const char *machine = target ? target : LOX_PROCESSOR;
  snprintf(unwinder, sizeof unwinder, "-lunwind-%.*s", (int)strcspn(machine, "-"), machine);
  snprintf(cross, sizeof cross, "%s-gcc", machine);
  const char *chosen = getenv("CC");
  const char *compiler = chosen && *chosen ? chosen : target ? cross : "cc";
  const char *arguments[] = {compiler,     "-o",         output,       object,
                             libraries[0], libraries[1], libraries[2], unwinder,
                             "-lunwind",   "-lpthread",  "-lm",        NULL};
  pid_t child;
  int error = posix_spawnp(&child, compiler, NULL, NULL, (char *const *)arguments, environ);
  if (error == 0)
    return wait_for(child, compiler);
  fprintf(stderr, "lox: cannot run the C compiler \"%s\", which links executables: %s%s\n",
          compiler, strerror(error),
          error == ENOENT ? " (install one, or name one in the environment variable CC)" : "");
  return LOX_EXIT_SYSTEM;
}
