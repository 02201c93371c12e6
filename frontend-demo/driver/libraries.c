#include "frontend-demo/driver/libraries.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/file_name.h"

/* Relative to frontend-demo/ in a build tree, and to the folder of an installation's libraries. */
static const struct {
  const char *built;
  const char *installed;
} places[LOX_LIBRARY_COUNT] = {
    [LOX_LIBRARY_MAIN] = {"runtime/liblox_main.a", "liblox_main.a"},
    [LOX_LIBRARY_RUNTIME] = {"runtime/liblox_runtime.a", "liblox_runtime.a"},
    [LOX_LIBRARY_GC] = {"../gc/libspgc.a", "libspgc.a"},
};

/* Where the libraries may be. */
struct folders {
  char built[PATH_MAX], installed[PATH_MAX];
};

/* False when the system does not give it, or the path is too long. */
static bool own_folder(char folder[PATH_MAX]) {
  ssize_t length = readlink(SPGC_OWN_FILES "exe", folder, PATH_MAX);
  if (length < 0 || length >= PATH_MAX)
    return false;
  folder[length] = '\0';
  char *slash = strrchr(folder, '/');
  if (!slash)
    return false;
  *slash = '\0';
  return true;
}

/* NULL when there is no readable file of that name. */
static char *path_if_readable(const char *folder, const char *name) {
  char *path;
  if (asprintf(&path, "%s/%s", folder, name) < 0)
    return NULL;
  if (access(path, R_OK) == 0)
    return path;
  free(path);
  return NULL;
}

/* False when a path is too long. */
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

bool lox_libraries_find(const char *target, struct lox_libraries *libraries) {
  *libraries = (struct lox_libraries){.target = target};
  char own[PATH_MAX];
  struct folders folders;
  if (!own_folder(own) || !find_folders(own, target, &folders)) {
    fputs("lox: cannot tell where this executable is, so cannot find its libraries\n", stderr);
    return false;
  }
  for (int i = 0; i < LOX_LIBRARY_COUNT; i++) {
    libraries->paths[i] = path_if_readable(folders.built, places[i].built);
    if (!libraries->paths[i])
      libraries->paths[i] = path_if_readable(folders.installed, places[i].installed);
    if (!libraries->paths[i]) {
      fprintf(stderr, "lox: cannot find %s: neither %s/%s nor %s/%s can be read\n",
              places[i].installed, folders.built, places[i].built, folders.installed,
              places[i].installed);
      return false;
    }
  }
  return true;
}

void lox_libraries_free(struct lox_libraries *libraries) {
  for (int i = 0; i < LOX_LIBRARY_COUNT; i++)
    free(libraries->paths[i]);
}
