#include "frontend-demo/driver/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 65536 };

/* Returns 0 or an errno value. Adds a NUL byte, not counted. */
static int read_all(FILE *file, char **text, size_t *length) {
  size_t capacity = 0;
  for (size_t count = 1; count > 0; *length += count) {
    if (*length > LOX_SOURCE_MAX)
      return EFBIG;
    if (*length + 1 >= capacity) {
      capacity = capacity == 0 ? FIRST_CAPACITY : 2 * capacity;
      char *larger = realloc(*text, capacity);
      if (!larger)
        return ENOMEM;
      *text = larger;
    }
    count = fread(*text + *length, 1, capacity - *length - 1, file);
  }
  (*text)[*length] = '\0';
  return ferror(file) ? errno : 0;
}

bool lox_source_read(const char *path, struct lox_string *text) {
  char *bytes = NULL;
  size_t length = 0;
  FILE *file = fopen(path, "rbe");
  int error = file ? read_all(file, &bytes, &length) : errno;
  if (file)
    fclose(file);
  *text = (struct lox_string){bytes, length};
  if (error == 0)
    return true;
  free(bytes);
  fprintf(stderr, "lox: cannot read \"%s\": %s\n", path, strerror(error));
  return false;
}
