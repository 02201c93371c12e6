/* A trace or a log, read from a file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/heap/command.h"
#include "tools/heap/memory.h"
#include "tools/heap/run.h"

/* Returns 0 or an errno value. */
static int read_all(FILE *file, char **bytes, size_t *size) {
  size_t capacity = 0, count;
  *bytes = NULL;
  *size = 0;
  do {
    if (capacity - *size < 2) {
      capacity = capacity == 0 ? 1 << 16 : capacity * 2;
      *bytes = memory_resized(*bytes, capacity, 1);
    }
    count = fread(*bytes + *size, 1, capacity - *size - 1, file);
    *size += count;
  } while (count != 0 && !feof(file) && !ferror(file));
  (*bytes)[*size] = '\0';
  return ferror(file) ? errno : 0;
}

static bool is_json(const char *bytes) {
  return bytes[strspn(bytes, " \t\r\n")] == '{';
}

static bool read_text(struct run *run, const char *path, struct run_text text) {
  const char *problem = is_json(text.bytes) ? run_read_trace(run, text) : run_read_log(run, text);
  if (problem == NULL && run->count == 0)
    problem = "no collection in it: neither a trace (trace=FILE) nor a log (log=gc:FILE)";
  if (problem != NULL)
    report(path, "%s", problem);
  else
    run_finish(run);
  return problem == NULL;
}

bool run_read(struct run *run, const char *path) {
  *run = (struct run){.pauses = NULL};
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return report(path, "%s", strerror(errno)), false;
  char *bytes;
  size_t size;
  int error = read_all(file, &bytes, &size);
  fclose(file);
  bool is_read = error == 0 && read_text(run, path, (struct run_text){bytes, size});
  if (error != 0)
    report(path, "%s", strerror(error));
  free(bytes);
  return is_read;
}
