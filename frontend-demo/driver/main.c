#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend-demo/driver/driver.h"
#include "support/output_file.h"
#include "support/same_file.h"
#include "support/standard_streams.h"

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
    fprintf(stderr, "lox: \"%s\" is the program itself, and is not overwritten\n", options->output);
    return LOX_EXIT_USAGE;
  }
  struct lox_string text;
  if (!lox_source_read(options->path, &text))
    return LOX_EXIT_IO;
  int code = action(options, text);
  free((char *)text.bytes);
  return code;
}

static int print_text(const char *text) {
  int error = spgc_stdout_write(text, strlen(text));
  if (error == 0)
    return LOX_EXIT_OK;
  fprintf(stderr, "lox: cannot write to standard output: %s\n", strerror(error));
  return LOX_EXIT_IO;
}

int main(int argc, char **argv) {
  spgc_streams_fill();
  spgc_output_file_size_limit_is_error();
  struct lox_options options;
  int code = lox_options_parse(&options, argc, argv);
  if (code != LOX_EXIT_OK)
    return code;
  switch (options.action) {
  case LOX_ACTION_INTERACT: return lox_repl(&options);
  case LOX_ACTION_RUN: return with_source(&options, run);
  case LOX_ACTION_BUILD: return with_source(&options, lox_build);
  case LOX_ACTION_EMIT: return with_source(&options, lox_write_stage);
  case LOX_ACTION_HELP: return print_text(lox_options_help);
  case LOX_ACTION_VERSION: return print_text("lox (statepoint-gc) " LOX_VERSION "\n");
  }
  return LOX_EXIT_INTERNAL;
}
