#ifndef LOX_SYNTAX_PARSE_H
#define LOX_SYNTAX_PARSE_H

#include <stdio.h>

#include "frontend-demo/syntax/ast.h"

/* Every error becomes a line "[line N] Error ...: Message." on `errors`, in source order; then the
 * result is NULL. The source may be freed afterwards, but not `path`. */
struct lox_program *lox_parse(const char *path, struct lox_string source, FILE *errors);

/* How a session's entry is read. All false: as a program. */
struct lox_entry_syntax {
  bool throw_is_declared; /* in an earlier entry, as a global variable */
  bool may_end_without_semicolon;
  bool echoes; /* expression statements outside of blocks show their value, except nil and
                * assignments */
};

struct lox_program *lox_parse_entry(const char *path, struct lox_string source,
                                    struct lox_entry_syntax syntax, FILE *errors);

/* Accepts NULL. */
void lox_program_free(struct lox_program *program);

#endif
