#ifndef TESTS_SUPPORT_LOX_PARSING_H
#define TESTS_SUPPORT_LOX_PARSING_H

#include "frontend-demo/syntax/parse.h"

struct lox_parsing {
  struct lox_program *program; /* NULL after errors */
  char *errors;                /* "" without errors */
};

struct lox_parsing lox_parsing_of_bytes(const char *bytes, size_t length);
struct lox_parsing lox_parsing_of(const char *source);

struct lox_parsing lox_parsing_of_correct(const char *source);

void lox_parsing_end(struct lox_parsing *parsing);

#endif
