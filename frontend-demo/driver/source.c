#include "frontend-demo/driver/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Invariant: length < capacity, so that there is space for one more byte, which shows whether the
 * file continues. */
struct growing {
  char *bytes;
  size_t length;
  size_t capacity;
};

enum { FIRST_CAPACITY = 65536 };

static bool grow(struct growing *text) {
  if (text->length + 1 < text->capacity)
    return true;
  size_t capacity = text->capacity == 0 ? FIRST_CAPACITY : 2 * text->capacity;
  char *larger = realloc(text->bytes, capacity);
  if (!larger)
    return false;
  text->bytes = larger;
  text->capacity = capacity;
  return true;
}

/* An errno value; 0 when all was read. */
static int read_all(int file, struct growing *text) {
  for (;;) {
    if (!grow(text))
      return ENOMEM;
    ssize_t count = read(file, text->bytes + text->length, text->capacity - text->length - 1);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    if (count == 0)
      return 0;
    text->length += (size_t)count;
    if (text->length > LOX_SOURCE_MAX)
      return EFBIG;
  }
}

static int read_file(const char *path, struct growing *text) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return errno;
  int error = read_all(file, text);
  close(file);
  return error;
}

bool lox_source_read(const char *path, struct lox_string *text) {
  struct growing content = {0};
  int error = read_file(path, &content);
  if (error != 0) {
    free(content.bytes);
    fprintf(stderr, "lox: cannot read \"%s\": %s\n", path, strerror(error));
    return false;
  }
  content.bytes[content.length] = '\0';
  *text = (struct lox_string){content.bytes, content.length};
  return true;
}
