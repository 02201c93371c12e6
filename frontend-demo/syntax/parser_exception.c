/* `throw`, `try`, `catch` and `finally` are ordinary names; the next token shows whether they begin
 * a statement:
 *
 *   try      followed by `{`, which cannot continue an expression
 *   catch    right after a try block
 *   finally  right after a try block, or after a catch block and followed by `{`
 *   throw    followed by a name, a literal, `this`, `super` or `!`: no expression continues so.
 *            Followed by `(`, `[` or `-` it is a call, an element or a difference if something
 *            named `throw` is in scope, is declared by `var`, `fun` or `class` anywhere in the
 *            program, or was declared earlier in the session. */
#include <string.h>

#include "frontend-demo/syntax/parser.h"

static bool is_word(const struct lox_token *token, const char *word) {
  return token->type == LOX_TOKEN_IDENTIFIER && token->length == strlen(word) &&
         memcmp(token->start, word, token->length) == 0;
}

static enum lox_token_type following(const struct lox_parser *parser) {
  struct lox_scanner scanner = parser->scanner;
  return lox_scanner_next(&scanner).type;
}

static bool declares_throw(struct lox_string source) {
  struct lox_scanner scanner;
  lox_scanner_init(&scanner, source);
  bool declares = false;
  for (;;) {
    struct lox_token token = lox_scanner_next(&scanner);
    if (token.type == LOX_TOKEN_END || (declares && is_word(&token, "throw")))
      return token.type != LOX_TOKEN_END;
    declares =
        token.type == LOX_TOKEN_VAR || token.type == LOX_TOKEN_FUN || token.type == LOX_TOKEN_CLASS;
  }
}

static bool throw_is_a_name(struct lox_parser *parser) {
  const struct lox_name *name = lox_names_intern(&parser->names, "throw", strlen("throw"));
  if (name->binding)
    return true;
  if (!parser->syntax.throw_is_declared && !parser->throw_was_sought) {
    parser->throw_was_sought = true;
    parser->syntax.throw_is_declared = declares_throw(parser->source);
  }
  return parser->syntax.throw_is_declared;
}

static bool is_at_throw(struct lox_parser *parser) {
  if (!is_word(&parser->current, "throw"))
    return false;
  switch (following(parser)) {
  case LOX_TOKEN_IDENTIFIER:
  case LOX_TOKEN_STRING:
  case LOX_TOKEN_NUMBER:
  case LOX_TOKEN_NIL:
  case LOX_TOKEN_TRUE:
  case LOX_TOKEN_FALSE:
  case LOX_TOKEN_THIS:
  case LOX_TOKEN_SUPER:
  case LOX_TOKEN_BANG: return true;
  case LOX_TOKEN_LEFT_PAREN:
  case LOX_TOKEN_LEFT_BRACKET:
  case LOX_TOKEN_MINUS: return !throw_is_a_name(parser);
  default: return false;
  }
}

/* throwStmt -> "throw" expression ";" ; */
static struct lox_statement *throw_statement(struct lox_parser *parser) {
  lox_parser_advance(parser);
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_THROW);
  result->expression = lox_parser_expression(parser);
  lox_parser_end_statement(parser, "Expect ';' after thrown value.");
  return result;
}

/* catch -> "catch" "(" IDENTIFIER ")" block ; the variable has the block's scope */
static void catch_clause(struct lox_parser *parser, struct lox_statement *result) {
  lox_parser_advance(parser);
  lox_resolver_open_scope(&parser->resolver);
  lox_parser_consume(parser, LOX_TOKEN_LEFT_PAREN, "Expect '(' after 'catch'.");
  lox_parser_declare(parser, "Expect variable name.", &result->try_.caught);
  lox_resolver_initialise(&parser->resolver, &result->try_.caught);
  lox_parser_consume(parser, LOX_TOKEN_RIGHT_PAREN, "Expect ')' after variable name.");
  lox_parser_consume(parser, LOX_TOKEN_LEFT_BRACE, "Expect '{' before catch block.");
  result->try_.handler = lox_parser_new_statement(parser, LOX_BLOCK);
  result->try_.handler->block = lox_parser_block(parser);
  lox_resolver_close_scope(&parser->resolver);
}

/* finally -> "finally" block ; */
static void finally_clause(struct lox_parser *parser, struct lox_statement *result) {
  lox_parser_advance(parser);
  lox_parser_consume(parser, LOX_TOKEN_LEFT_BRACE, "Expect '{' before finally block.");
  result->try_.finalizer = lox_parser_block_statement(parser);
}

/* tryStmt -> "try" block ( catch finally? | finally ) ; */
static struct lox_statement *try_statement(struct lox_parser *parser) {
  lox_parser_advance(parser);
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_TRY);
  lox_parser_advance(parser);
  result->try_.body = lox_parser_block_statement(parser);
  if (is_word(&parser->current, "catch"))
    catch_clause(parser, result);
  else if (!is_word(&parser->current, "finally"))
    lox_parser_error_at_current(parser, "Expect 'catch' or 'finally' after try block.");
  if (is_word(&parser->current, "finally") &&
      (!result->try_.handler || following(parser) == LOX_TOKEN_LEFT_BRACE))
    finally_clause(parser, result);
  return result;
}

struct lox_statement *lox_parser_exception_statement(struct lox_parser *parser) {
  if (is_at_throw(parser))
    return throw_statement(parser);
  if (is_word(&parser->current, "try") && following(parser) == LOX_TOKEN_LEFT_BRACE)
    return try_statement(parser);
  return NULL;
}
