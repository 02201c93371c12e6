#ifndef LOX_SYNTAX_SCANNER_H
#define LOX_SYNTAX_SCANNER_H

#include <stdbool.h>
#include <stddef.h>

#include "frontend-demo/syntax/ast.h"

enum lox_token_type {
  LOX_TOKEN_LEFT_PAREN,
  LOX_TOKEN_RIGHT_PAREN,
  LOX_TOKEN_LEFT_BRACE,
  LOX_TOKEN_RIGHT_BRACE,
  LOX_TOKEN_LEFT_BRACKET,
  LOX_TOKEN_RIGHT_BRACKET,
  LOX_TOKEN_COMMA,
  LOX_TOKEN_DOT,
  LOX_TOKEN_MINUS,
  LOX_TOKEN_PLUS,
  LOX_TOKEN_SEMICOLON,
  LOX_TOKEN_SLASH,
  LOX_TOKEN_STAR,
  LOX_TOKEN_BANG,
  LOX_TOKEN_BANG_EQUAL,
  LOX_TOKEN_EQUAL,
  LOX_TOKEN_EQUAL_EQUAL,
  LOX_TOKEN_GREATER,
  LOX_TOKEN_GREATER_EQUAL,
  LOX_TOKEN_LESS,
  LOX_TOKEN_LESS_EQUAL,
  LOX_TOKEN_IDENTIFIER,
  LOX_TOKEN_STRING,
  LOX_TOKEN_NUMBER,
  LOX_TOKEN_AND,
  LOX_TOKEN_CLASS,
  LOX_TOKEN_ELSE,
  LOX_TOKEN_FALSE,
  LOX_TOKEN_FOR,
  LOX_TOKEN_FUN,
  LOX_TOKEN_IF,
  LOX_TOKEN_NIL,
  LOX_TOKEN_OR,
  LOX_TOKEN_PRINT,
  LOX_TOKEN_RETURN,
  LOX_TOKEN_SUPER,
  LOX_TOKEN_THIS,
  LOX_TOKEN_TRUE,
  LOX_TOKEN_VAR,
  LOX_TOKEN_WHILE,
  LOX_TOKEN_UNEXPECTED_CHARACTER,
  LOX_TOKEN_UNTERMINATED_STRING,
  LOX_TOKEN_END,
  LOX_TOKEN_COUNT,
};

/* `start` points into the source. A token that spans lines has its last line's number. */
struct lox_token {
  enum lox_token_type type;
  int line;
  const char *start;
  size_t length;
};

/* Invariant: start <= current <= end; the token being scanned is [start, current). */
struct lox_scanner {
  const char *start;
  const char *current;
  const char *end;
  int line;
};

/* The source must outlive the tokens. */
void lox_scanner_init(struct lox_scanner *scanner, struct lox_string source);

/* Always LOX_TOKEN_END after the last token. */
struct lox_token lox_scanner_next(struct lox_scanner *scanner);

/* The first lines of a source; zeroed: none. */
struct lox_lines {
  size_t scanned; /* bytes, which are not looked at again */
  long open;      /* parentheses, brackets and braces opened minus closed */
  bool end_in_string;
};

/* False iff the source ends inside a string, or with an open parenthesis, bracket or brace: then a
 * terminal should ask for another line. `lines` must describe the source's first lines, and then
 * describes all. Lines must be whole, because only strings may span lines. */
bool lox_lines_are_complete(struct lox_lines *lines, struct lox_string source);

#endif
