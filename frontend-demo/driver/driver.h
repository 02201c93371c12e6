/* Errors go to standard error. Exit codes are those of frontend-demo/runtime/run.h, or these, of
 * <sysexits.h>. */
#ifndef LOX_DRIVER_DRIVER_H
#define LOX_DRIVER_DRIVER_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "frontend-demo/driver/options.h"
#include "frontend-demo/runtime/run.h"
#include "frontend-demo/syntax/ast.h"
#include "spgc/lower.h"

enum {
  LOX_EXIT_OK = 0,
  LOX_EXIT_COMPILE_ERROR = 65, /* EX_DATAERR: the program is not Lox */
  LOX_EXIT_INTERNAL = 70,      /* EX_SOFTWARE: this compiler failed */
  LOX_EXIT_CANNOT_CREATE = 73, /* EX_CANTCREAT: an output file */
};

/* False if the file cannot be read or exceeds LOX_SOURCE_MAX. The caller frees text->bytes. */
bool lox_source_read(const char *path, struct lox_string *text);

enum { LOX_SOURCE_MAX = 256 * 1024 * 1024 };

struct lox_translation {
  const char *path; /* for messages */
  struct lox_string text;
  bool echoes; /* values of expressions are shown */
  struct lox_emit_options emit;
  enum lox_stage stage;
  const char *target; /* as in struct spgc_lower_options */
  enum spgc_code code;
  unsigned optimisation;
};

int lox_internal_error(const char *step, const struct spgc_error *error);

/* The caller disposes of the buffer. */
int lox_translate(const struct lox_translation *translation, LLVMMemoryBufferRef *buffer);

int lox_build(const struct lox_options *options, struct lox_string text);

int lox_write_stage(const struct lox_options *options, struct lox_string text);

/* Links with the runtime libraries of this executable's build tree or installation; for a `target`,
 * with those in cross-PROCESSOR or lib/TRIPLE there. The linker is CC of the environment, else
 * `cc`, or `TRIPLE-gcc` for a target. */
int lox_link(const char *object, const char *target, const char *output);

/* Compiles programs into this process. One at a time. */
struct lox_machine;

/* `is_session`: units share their global variables. */
int lox_machine_start(const struct lox_options *options, bool is_session,
                      struct lox_machine **machine);

/* The unit's code stays until the machine stops. */
int lox_machine_run(struct lox_machine *machine, const char *path, struct lox_string text);

/* Returns `code`, unless lox_runtime_stop changes it. */
int lox_machine_stop(struct lox_machine *machine, int code);

/* On a terminal, lines can be edited, and earlier ones recalled. */
struct lox_line_reader;

/* The history is $XDG_STATE_HOME/lox_history, or else ~/.lox_history. */
struct lox_line_reader *lox_line_reader_create(void);
void lox_line_reader_destroy(struct lox_line_reader *reader);

/* Reads until no string, parenthesis, bracket or brace is open. False at the input's end. The text
 * is valid until the next call. */
bool lox_line_reader_next(struct lox_line_reader *reader, struct lox_string *entry);

/* An error in an entry does not end the session. Returns 0 unless it could not start, or output was
 * lost. */
int lox_repl(const struct lox_options *options);

#endif
