#ifndef SPGC_TOOLS_HEAP_FILE_H
#define SPGC_TOOLS_HEAP_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct file_text {
  char *bytes; /* with a NUL that `size` does not count; the caller frees them */
  size_t size;
};

bool file_read(struct file_text *text, const char *path);

#endif
