#include "support/output_place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A link in /proc can lead to a file without a path, or with a wrong one. */
static bool is_path_of(const char *path, const struct stat *file) {
  struct stat status;
  return stat(path, &status) == 0 && status.st_dev == file->st_dev && status.st_ino == file->st_ino;
}

static int find_path_of_file(const char *destination, struct spgc_output_place *place) {
  place->path = realpath(destination, NULL);
  if (place->path == NULL)
    return errno == ENOMEM ? ENOMEM : 0;
  if (!is_path_of(place->path, &place->status)) {
    free(place->path);
    place->path = NULL;
  }
  return 0;
}

static char *link_target(const char *path, const char *target, size_t length) {
  const char *slash = strrchr(path, '/');
  bool is_relative = length > 0 && target[0] != '/';
  int folder_length = is_relative && slash != NULL ? (int)(slash + 1 - path) : 0;
  char *name;
  if (asprintf(&name, "%.*s%.*s", folder_length, path, (int)length, target) < 0)
    return NULL;
  return name;
}

enum { MOST_LINKS = 40 }; /* the system's own limit */

static int find_path_of_nothing(const char *destination, struct spgc_output_place *place) {
  char *path = strdup(destination);
  for (int links = 0; path != NULL; links++) {
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target);
    if (length < 0 && (errno == EINVAL || errno == ENOENT)) {
      place->path = path;
      return 0;
    }
    int error = length < 0 ? errno : links == MOST_LINKS ? ELOOP : 0;
    char *next = error == 0 ? link_target(path, target, (size_t)length) : NULL;
    free(path);
    if (error != 0)
      return error;
    path = next;
  }
  return ENOMEM;
}

/* Write permission is checked, because renaming does not need it. */
int spgc_output_place_find(struct spgc_output_place *place, const char *destination) {
  *place = (struct spgc_output_place){0};
  place->exists = stat(destination, &place->status) == 0;
  if (!place->exists)
    return errno == ENOENT ? find_path_of_nothing(destination, place) : errno;
  if (S_ISDIR(place->status.st_mode))
    return EISDIR;
  if (access(destination, W_OK) != 0)
    return errno;
  return S_ISREG(place->status.st_mode) ? find_path_of_file(destination, place) : 0;
}
