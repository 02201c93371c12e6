#include <stdlib.h>
#include <string.h>

#include "tools/heap/command.h"
#include "tools/heap/file.h"
#include "tools/heap/run.h"

static bool is_json(const char *bytes) {
  return bytes[strspn(bytes, " \t\r\n")] == '{';
}

static bool read_text(struct run *run, const char *path, struct run_text text) {
  const char *problem = is_json(text.bytes) ? run_read_trace(run, text) : run_read_log(run, text);
  if (problem == NULL && run->count == 0)
    problem = "it has no collection: neither a trace (trace=FILE) nor a log (log=gc:FILE)";
  if (problem != NULL)
    report(path, "%s", problem);
  else
    run_finish(run);
  return problem == NULL;
}

bool run_read(struct run *run, const char *path) {
  struct file_text text;
  *run = (struct run){.pauses = NULL};
  if (!file_read(&text, path))
    return false;
  bool is_read = read_text(run, path, (struct run_text){text.bytes, text.size});
  free(text.bytes);
  return is_read;
}
