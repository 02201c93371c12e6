#include "frontend-demo/driver/repl.h"

#include <stdio.h>

#include "frontend-demo/driver/exit_code.h"
#include "frontend-demo/driver/line_reader.h"
#include "frontend-demo/driver/machine.h"

int lox_repl(const struct lox_options *options) {
  struct lox_machine *machine;
  int code = lox_machine_start(options, true, &machine);
  if (code != LOX_EXIT_OK)
    return code;
  struct lox_line_reader *reader = lox_line_reader_create();
  struct lox_string entry;
  while (lox_line_reader_next(reader, &entry)) {
    lox_machine_run(machine, "the session", entry);
    fflush(stdout);
  }
  lox_line_reader_destroy(reader);
  return lox_machine_stop(machine, LOX_EXIT_OK);
}
