#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frontend-demo/driver/driver.h"
#include "support/standard_streams.h"

/* The session ends if nothing reads its output. */
static int flush(void) {
  int error = spgc_stdout_finish();
  if (error == 0)
    return LOX_EXIT_OK;
  fprintf(stderr, "lox: cannot write to standard output: %s\n", strerror(error));
  return LOX_EXIT_IO;
}

static const char help[] =
    "Type statements of Lox. The last ';' may be left out, and the value of an expression is "
    "shown.\n"
    "An entry continues on the next line while a bracket, brace or string is open.\n"
    "\n"
    "  :help      this text\n"
    "  :quit      end the session, as control-D does\n"
    "  control-C  abandon the entry, or end the running program\n"
    "\n"
    "Native functions: clock() gc() len(x) args() read_line() read_file(path) to_string(x), and "
    "more\n"
    "in frontend-demo/README.md. SPGC_OPTIONS=log=gc shows each collection.\n";

enum reply { NO_COMMAND, CONTINUES, QUITS };

/* No statement of Lox begins with a command's colon. */
static enum reply obey(struct lox_string entry) {
  char command[64] = "";
  if (sscanf(entry.bytes, " %63s", command) < 1 || command[0] != ':')
    return NO_COMMAND;
  if (strcmp(command, ":quit") == 0)
    return QUITS;
  if (strcmp(command, ":help") == 0)
    fputs(help, stdout);
  else
    fprintf(stderr, "lox: there is no command '%s'; :help lists them\n", command);
  return CONTINUES;
}

/* Returns whether the session continues. */
static bool answer(struct lox_machine *machine, struct lox_string entry, int *code) {
  enum reply reply = obey(entry);
  if (reply == NO_COMMAND)
    *code = lox_machine_run(machine, "the session", entry);
  if (*code != LOX_EXIT_IO)
    *code = flush();
  return reply != QUITS && *code != LOX_EXIT_IO;
}

int lox_repl(const struct lox_options *options) {
  struct lox_machine *machine;
  int code = lox_machine_start(options, true, &machine);
  if (code != LOX_EXIT_OK)
    return code;
  struct lox_line_reader *reader = lox_line_reader_create();
  if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
    puts("Lox " LOX_VERSION ", compiled to native code on statepoint-gc. :help says more.");
  struct lox_string entry;
  while (lox_line_reader_next(reader, &entry) && answer(machine, entry, &code))
    continue;
  lox_line_reader_destroy(reader);
  return lox_machine_stop(machine, code == LOX_EXIT_IO ? code : LOX_EXIT_OK);
}
