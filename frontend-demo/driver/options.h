#ifndef LOX_DRIVER_OPTIONS_H
#define LOX_DRIVER_OPTIONS_H

#include <stdbool.h>

#include "frontend-demo/backend/compile.h"
#include "frontend-demo/emit/emit.h"

enum lox_action {
  LOX_ACTION_INTERACT, /* no file: the interactive session */
  LOX_ACTION_RUN,
  LOX_ACTION_BUILD,
  LOX_ACTION_EMIT,
  LOX_ACTION_HELP,
  LOX_ACTION_VERSION,
};

enum lox_debug_choice { LOX_DEBUG_BY_ACTION, LOX_DEBUG_NO, LOX_DEBUG_YES };

struct lox_options {
  enum lox_action action;
  const char *path;             /* NULL only for INTERACT, HELP and VERSION */
  const char *target;           /* BUILD and EMIT: another machine's triple, or NULL */
  const char *output;           /* BUILD (never NULL) and EMIT (NULL: standard output) */
  enum lox_stage stage;         /* EMIT */
  unsigned optimisation;        /* 0 to 3 */
  struct lox_emit_options emit; /* without symbol and session */
  enum lox_debug_choice debug;
  bool is_profiled;    /* a profiler's dump of the code */
  const char *profile; /* FILE or FILE:BYTES of an allocation profile, or NULL */
  const char *trace;   /* RUN and INTERACT, as the last two: FILE of the collector's trace, or
                        * NULL */
  bool has_gc_statistics;
  int argument_count;     /* RUN */
  char *const *arguments; /* the words after the file */
};

/* Prints errors, and returns LOX_EXIT_USAGE. */
int lox_options_parse(struct lox_options *options, int argc, char **argv);

extern const char lox_options_help[];

#endif
