/* What the process tells its parent; the numbers are those of <sysexits.h>. */
#ifndef LOX_DRIVER_EXIT_CODE_H
#define LOX_DRIVER_EXIT_CODE_H

enum lox_exit_code {
  LOX_EXIT_OK = 0,
  LOX_EXIT_USAGE = 64,         /* EX_USAGE: the command line */
  LOX_EXIT_COMPILE_ERROR = 65, /* EX_DATAERR: the program is not Lox */
  LOX_EXIT_RUNTIME_ERROR = 70, /* EX_SOFTWARE: the program failed, or this compiler did */
  LOX_EXIT_CANNOT_CREATE = 73, /* EX_CANTCREAT: an output file */
  LOX_EXIT_CANNOT_READ = 74,   /* EX_IOERR: the source file */
};

#endif
