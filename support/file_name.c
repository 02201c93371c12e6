#include "support/file_name.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* 0 if `c` has no meaning after a %. */
static int expand_one(char c, char text[16]) {
  if (c == 'p')
    return snprintf(text, 16, "%d", getpid());
  text[0] = '%';
  return c == '%';
}

static bool append(char *name, size_t *used, const char *text, size_t length) {
  if (*used + length >= PATH_MAX)
    return false;
  memcpy(name + *used, text, length);
  *used += length;
  name[*used] = '\0';
  return true;
}

/* Returns the rest of `path`. */
static const char *expand_own_file(char *name, size_t *used, const char *path) {
  static const struct {
    const char *link, *own;
    bool is_folder;
  } links[] = {{"/proc/self/", SPGC_OWN_FILES, true},
               {"/dev/fd/", SPGC_OWN_FILES "fd/", true},
               {"/dev/stdin", SPGC_OWN_FILES "fd/0", false},
               {"/dev/stdout", SPGC_OWN_FILES "fd/1", false},
               {"/dev/stderr", SPGC_OWN_FILES "fd/2", false}};
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    size_t length = strlen(links[i].link);
    if (strncmp(path, links[i].link, length) != 0 || (!links[i].is_folder && path[length] != '\0'))
      continue;
    append(name, used, links[i].own, strlen(links[i].own));
    return path + length;
  }
  return path;
}

/* Other letters after a % are kept. */
bool spgc_file_name_expand(char name[PATH_MAX], const char *path) {
  size_t used = 0;
  bool fits = *path != '\0';
  name[0] = '\0';
  path = expand_own_file(name, &used, path);
  for (; fits && *path != '\0'; path++) {
    char text[16];
    int length = *path == '%' ? expand_one(path[1], text) : 0;
    fits = length != 0 ? append(name, &used, text, (size_t)length) : append(name, &used, path, 1);
    path += length != 0;
  }
  return fits;
}

bool spgc_file_name_has_process(const char *path) {
  for (const char *sign = strchr(path, '%'); sign != NULL; sign = strchr(sign, '%')) {
    if (sign[1] == 'p')
      return true;
    sign += sign[1] == '%' ? 2 : 1;
  }
  return false;
}
