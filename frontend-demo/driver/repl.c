#include "frontend-demo/driver/repl.h"

#include <stdio.h>
#include <string.h>

#include "frontend-demo/driver/exit_code.h"
#include "frontend-demo/driver/line_reader.h"
#include "frontend-demo/driver/machine.h"
#include "support/standard_streams.h"

/* A session whose output has no reader ends. */
static int flush(void) {
  int error = spgc_stdout_finish();
  if (error == 0)
    return LOX_EXIT_OK;
  fprintf(stderr, "lox: cannot write to standard output: %s\n", strerror(error));
  return LOX_EXIT_IO;
}

int lox_repl(const struct lox_options *options) {
  struct lox_machine *machine;
  int code = lox_machine_start(options, true, &machine);
  if (code != LOX_EXIT_OK)
    return code;
  struct lox_line_reader *reader = lox_line_reader_create();
  struct lox_string entry;
  while (code != LOX_EXIT_IO && lox_line_reader_next(reader, &entry)) {
    code = lox_machine_run(machine, "the session", entry);
    if (code != LOX_EXIT_IO)
      code = flush();
  }
  lox_line_reader_destroy(reader);
  return lox_machine_stop(machine, code == LOX_EXIT_IO ? code : LOX_EXIT_OK);
}
