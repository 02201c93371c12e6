/* lox: runs Lox programs, builds executables of them, or talks. */
#include <stdio.h>
#include <stdlib.h>

#include "frontend-demo/driver/build.h"
#include "frontend-demo/driver/exit_code.h"
#include "frontend-demo/driver/machine.h"
#include "frontend-demo/driver/options.h"
#include "frontend-demo/driver/repl.h"
#include "frontend-demo/driver/source.h"
#include "support/same_file.h"

static int run(const struct lox_options *options, struct lox_string text) {
  struct lox_machine *machine;
  int code = lox_machine_start(options, false, &machine);
  if (code != LOX_EXIT_OK)
    return code;
  return lox_machine_stop(machine, lox_machine_run(machine, options->path, text));
}

static int with_source(const struct lox_options *options,
                       int (*action)(const struct lox_options *, struct lox_string)) {
  if (options->output && spgc_same_file(options->path, options->output)) {
    fprintf(stderr, "lox: \"%s\" is the program itself, not to be written over\n", options->output);
    return LOX_EXIT_USAGE;
  }
  struct lox_string text;
  if (!lox_source_read(options->path, &text))
    return LOX_EXIT_IO;
  int code = action(options, text);
  free((char *)text.bytes);
  return code;
}

int main(int argc, char **argv) {
  struct lox_options options;
  int code = lox_options_parse(&options, argc, argv);
  if (code != LOX_EXIT_OK)
    return code;
  switch (options.action) {
  case LOX_ACTION_INTERACT: return lox_repl(&options);
  case LOX_ACTION_RUN: return with_source(&options, run);
  case LOX_ACTION_BUILD: return with_source(&options, lox_build);
  case LOX_ACTION_EMIT: return with_source(&options, lox_write_stage);
  case LOX_ACTION_HELP: fputs(lox_options_help, stdout); return LOX_EXIT_OK;
  case LOX_ACTION_VERSION: puts("lox (statepoint-gc) " LOX_VERSION); return LOX_EXIT_OK;
  }
  return LOX_EXIT_INTERNAL;
}
