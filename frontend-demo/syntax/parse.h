/* From source text to a resolved program. */
#ifndef LOX_SYNTAX_PARSE_H
#define LOX_SYNTAX_PARSE_H

#include <stdio.h>

#include "frontend-demo/syntax/ast.h"

/* Reads one program. Every error in it is a line "[line N] Error ...: Message." on `errors`, in
 * source order; then the result is NULL. The source may be freed afterwards; `path` may not while
 * the program lives. */
struct lox_program *lox_parse(const char *path, struct lox_string source, FILE *errors);

/* The same for an entry of a session, of which an earlier one may have declared a global variable
 * `throw`. */
struct lox_program *lox_parse_entry(const char *path, struct lox_string source,
                                    bool throw_is_declared, FILE *errors);

/* NULL does nothing. */
void lox_program_free(struct lox_program *program);

#endif
