/* Recursive descent in one pass; a Pratt table for expressions. After an error the parser is in
 * panic: it reports no error until the next statement boundary, and its well-formed tree is
 * unused. */
#ifndef LOX_SYNTAX_PARSER_H
#define LOX_SYNTAX_PARSER_H

#include <stdio.h>

#include "frontend-demo/syntax/ast.h"
#include "frontend-demo/syntax/names.h"
#include "frontend-demo/syntax/parse.h"
#include "frontend-demo/syntax/resolver.h"
#include "frontend-demo/syntax/scanner.h"

/* The limit on nesting bounds the tree's height, and so recursion over it. The others bound
 * superlinear work of the compiler: it relocates each reference that is live at a call, and looks
 * at a function's loops once for each loop inside. */
enum {
  LOX_MAX_NESTING = 1000,
  LOX_MAX_LOOPS = 200, /* nested in each other, in one function */
  LOX_MAX_ARGUMENTS = 255,
  LOX_MAX_ITEMS = 4000, /* most in one list literal */
};

/* Lives in the parser's frame for the class. */
struct lox_open_class {
  struct lox_open_class *enclosing;
  struct lox_class *class_;
};

/* `previous` is the last token taken, `current` the next. */
struct lox_parser {
  struct lox_scanner scanner;
  struct lox_token previous;
  struct lox_token current;
  FILE *errors;
  bool had_error;
  bool in_panic;
  bool has_given_up; /* nesting was too deep: the rest is neither read nor reported */
  int nesting;       /* <= LOX_MAX_NESTING */
  int loops;         /* around the current token, in its function; <= LOX_MAX_LOOPS */
  struct lox_arena *arena;
  struct lox_program *program;
  struct lox_names names;
  struct lox_resolver resolver;
  struct lox_open_class *innermost_class; /* NULL outside of classes */
  struct lox_name *init_name;
  struct lox_name *this_name;
  struct lox_name *super_name;
  struct lox_string source;
  struct lox_entry_syntax syntax; /* throw_is_declared: also in the source */
  bool throw_was_sought;          /* in the source */
};

void lox_parser_advance(struct lox_parser *parser);
bool lox_parser_check(const struct lox_parser *parser, enum lox_token_type type);
bool lox_parser_match(struct lox_parser *parser, enum lox_token_type type);
void lox_parser_consume(struct lox_parser *parser, enum lox_token_type type, const char *message);

void lox_parser_end_statement(struct lox_parser *parser, const char *message);

void lox_parser_error(struct lox_parser *parser, const char *message);
void lox_parser_error_at_current(struct lox_parser *parser, const char *message);
void lox_parser_synchronise(struct lox_parser *parser);

/* Callers restore `nesting`. */
bool lox_parser_descend(struct lox_parser *parser);

bool lox_parser_enter_loop(struct lox_parser *parser);

/* The previous token's name. */
struct lox_name *lox_parser_name(struct lox_parser *parser);

struct lox_name *lox_parser_declare(struct lox_parser *parser, const char *message,
                                    struct lox_reference *target);

struct lox_expression *lox_parser_expression(struct lox_parser *parser);

/* The previous token is its name. */
struct lox_expression *lox_parser_variable(struct lox_parser *parser);

struct lox_statement *lox_parser_declaration(struct lox_parser *parser);

/* On the previous token's line. */
struct lox_statement *lox_parser_new_statement(struct lox_parser *parser,
                                               enum lox_statement_type type);

/* Includes the closing brace. */
struct lox_statement_list lox_parser_block(struct lox_parser *parser);

struct lox_statement *
lox_parser_block_statement(struct lox_parser *parser); /* The opening brace has been taken. */

/* NULL unless the next statement is one of exceptions. */
struct lox_statement *lox_parser_exception_statement(struct lox_parser *parser);

struct lox_function *lox_parser_new_function(struct lox_parser *parser, enum lox_function_kind kind,
                                             const struct lox_name *name);
struct lox_statement *lox_parser_function_declaration(struct lox_parser *parser);
struct lox_statement *lox_parser_class_declaration(struct lox_parser *parser);

#endif
