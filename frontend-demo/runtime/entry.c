/* main of Lox programs compiled ahead of time. */
#include <stdio.h>

#include "frontend-demo/runtime/run.h"
#include "support/output_file.h"
#include "support/standard_streams.h"

extern const struct lox_unit lox_program;

int main(int argument_count, char *arguments[]) {
  spgc_streams_fill();
  spgc_output_file_size_limit_is_error();
  bool named = argument_count > 0;
  struct lox_runtime_options options = {
      .argument_count = named ? argument_count - 1 : 0,
      .arguments = named ? arguments + 1 : arguments,
  };
  struct spgc_error error;
  if (lox_runtime_start(&options, &error) != SPGC_OK) {
    fprintf(stderr, "%s: cannot start: %s\n", named ? arguments[0] : "lox", error.message);
    return error.code == SPGC_ERROR_INVALID_ARGUMENT ? LOX_EXIT_USAGE : LOX_EXIT_SYSTEM;
  }
  return lox_runtime_stop(lox_run_unit(&lox_program));
}
