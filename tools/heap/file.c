#include "tools/heap/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/heap/command.h"
#include "tools/heap/memory.h"

/* Returns 0 or an errno value. */
static int read_all(FILE *file, struct file_text *text) {
  size_t capacity = 0, count;
  *text = (struct file_text){.bytes = NULL};
  do {
    if (capacity - text->size < 2) {
      capacity = capacity == 0 ? 1 << 16 : capacity * 2;
      text->bytes = memory_resized(text->bytes, capacity, 1);
    }
    count = fread(text->bytes + text->size, 1, capacity - text->size - 1, file);
    text->size += count;
  } while (count != 0 && !feof(file) && !ferror(file));
  text->bytes[text->size] = '\0';
  return ferror(file) ? errno : 0;
}

bool file_read(struct file_text *text, const char *path) {
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return report(path, "%s", strerror(errno)), false;
  int error = read_all(file, text);
  fclose(file);
  if (error == 0)
    return true;
  report(path, "%s", strerror(error));
  free(text->bytes);
  return false;
}
