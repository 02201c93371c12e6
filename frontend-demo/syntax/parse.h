/* Makes a resolved program from source text. */
#ifndef LOX_SYNTAX_PARSE_H
#define LOX_SYNTAX_PARSE_H

#include <stdio.h>

#include "frontend-demo/syntax/ast.h"

/* Reads one program. Every error in it becomes a line "[line N] Error ...: Message." on `errors`,
 * in source order; then the result is NULL. The source may be freed afterwards, but `path` must
 * live as long as the program. */
struct lox_program *lox_parse(const char *path, struct lox_string source, FILE *errors);

/* The same for an entry of a session. An earlier entry may have declared a global variable
 * `throw`. */
struct lox_program *lox_parse_entry(const char *path, struct lox_string source,
                                    bool throw_is_declared, FILE *errors);

/* NULL does nothing. */
void lox_program_free(struct lox_program *program);

#endif
