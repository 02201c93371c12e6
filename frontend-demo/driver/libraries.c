#include "frontend-demo/driver/libraries.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/file_name.h"

/* Relative to the folder of this executable: in the build tree, and in an installation. */
static const struct {
  const char *built;
  const char *installed;
} places[LOX_LIBRARY_COUNT] = {
    [LOX_LIBRARY_MAIN] = {"runtime/liblox_main.a", "../" LOX_INSTALLED_LIBRARIES "/liblox_main.a"},
    [LOX_LIBRARY_RUNTIME] = {"runtime/liblox_runtime.a",
                             "../" LOX_INSTALLED_LIBRARIES "/liblox_runtime.a"},
    [LOX_LIBRARY_GC] = {"../gc/libspgc.a", "../" LOX_INSTALLED_LIBRARIES "/libspgc.a"},
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

bool lox_libraries_find(struct lox_libraries *libraries) {
  *libraries = (struct lox_libraries){0};
  char folder[PATH_MAX];
  if (!own_folder(folder)) {
    fputs("lox: cannot tell where this executable is, so cannot find its libraries\n", stderr);
    return false;
  }
  for (int i = 0; i < LOX_LIBRARY_COUNT; i++) {
    libraries->paths[i] = path_if_readable(folder, places[i].built);
    if (!libraries->paths[i])
      libraries->paths[i] = path_if_readable(folder, places[i].installed);
    if (!libraries->paths[i]) {
      fprintf(stderr, "lox: cannot find %s: neither %s/%s nor %s/%s can be read\n",
              strrchr(places[i].built, '/') + 1, folder, places[i].built, folder,
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
