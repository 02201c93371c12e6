/* The process's exit codes besides those of frontend-demo/runtime/run.h; the numbers are those of
 * <sysexits.h>. Functions that return such a code return 0 for success. */
#ifndef LOX_DRIVER_EXIT_CODE_H
#define LOX_DRIVER_EXIT_CODE_H

#include "frontend-demo/runtime/run.h"

enum {
  LOX_EXIT_OK = 0,
  LOX_EXIT_COMPILE_ERROR = 65, /* EX_DATAERR: the program is not Lox */
  LOX_EXIT_INTERNAL = 70,      /* EX_SOFTWARE: this compiler failed */
  LOX_EXIT_CANNOT_CREATE = 73, /* EX_CANTCREAT: an output file */
};

#endif
