#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/parser.h"

static struct lox_statement *statement(struct lox_parser *parser);

struct lox_statement *lox_parser_new_statement(struct lox_parser *parser,
                                               enum lox_statement_type type, int line) {
  struct lox_statement *result = lox_arena_allocate(parser->arena, sizeof(struct lox_statement));
  result->type = type;
  result->line = line;
  return result;
}

void lox_parser_append(struct lox_parser *parser, struct lox_statement_list *list,
                       struct lox_statement *item) {
  list->items =
      lox_arena_grow(parser->arena, list->items, list->count, sizeof(struct lox_statement *));
  list->items[list->count++] = item;
}

/* block -> "{" declaration* "}" ;  the opening brace has been taken */
struct lox_statement_list lox_parser_block(struct lox_parser *parser) {
  struct lox_statement_list list = {0};
  while (!lox_parser_check(parser, LOX_TOKEN_RIGHT_BRACE) &&
         !lox_parser_check(parser, LOX_TOKEN_END))
    lox_parser_append(parser, &list, lox_parser_declaration(parser));
  lox_parser_consume(parser, LOX_TOKEN_RIGHT_BRACE, "Expect '}' after block.");
  return list;
}

struct lox_statement *lox_parser_block_statement(struct lox_parser *parser) {
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_BLOCK, parser->previous.line);
  lox_resolver_open_scope(&parser->resolver);
  result->block = lox_parser_block(parser);
  lox_resolver_close_scope(&parser->resolver);
  return result;
}

/* varDecl -> "var" IDENTIFIER ( "=" expression )? ";" ; */
static struct lox_statement *var_declaration(struct lox_parser *parser) {
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_VAR, parser->previous.line);
  lox_parser_declare(parser, "Expect variable name.", &result->var.target);
  if (lox_parser_match(parser, LOX_TOKEN_EQUAL))
    result->var.initializer = lox_parser_expression(parser);
  lox_parser_end_statement(parser, "Expect ';' after variable declaration.");
  lox_resolver_initialise(&parser->resolver, &result->var.target);
  return result;
}

/* exprStmt -> expression ";" ; */
static struct lox_statement *expression_statement(struct lox_parser *parser) {
  struct lox_statement *result =
      lox_parser_new_statement(parser, LOX_EXPRESSION, parser->current.line);
  result->expression = lox_parser_expression(parser);
  lox_parser_end_statement(parser, "Expect ';' after expression.");
  return result;
}

/* printStmt -> "print" expression ";" ; */
static struct lox_statement *print_statement(struct lox_parser *parser) {
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_PRINT, parser->previous.line);
  result->expression = lox_parser_expression(parser);
  lox_parser_end_statement(parser, "Expect ';' after value.");
  return result;
}

/* returnStmt -> "return" expression? ";" ; */
static struct lox_statement *return_statement(struct lox_parser *parser) {
  struct lox_statement *result =
      lox_parser_new_statement(parser, LOX_RETURN, parser->previous.line);
  enum lox_function_kind kind = parser->resolver.innermost->function->kind;
  if (kind == LOX_SCRIPT)
    lox_parser_error(parser, "Can't return from top-level code.");
  if (lox_parser_match(parser, LOX_TOKEN_SEMICOLON))
    return result;
  if (kind == LOX_INITIALIZER)
    lox_parser_error(parser, "Can't return a value from an initializer.");
  result->value = lox_parser_expression(parser);
  parser->resolver.innermost->function->returns_calls |= result->value->type == LOX_CALL;
  lox_parser_end_statement(parser, "Expect ';' after return value.");
  return result;
}

/* ifStmt -> "if" "(" expression ")" statement ( "else" statement )? ; */
static struct lox_statement *if_statement(struct lox_parser *parser) {
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_IF, parser->previous.line);
  lox_parser_consume(parser, LOX_TOKEN_LEFT_PAREN, "Expect '(' after 'if'.");
  result->if_.condition = lox_parser_expression(parser);
  lox_parser_consume(parser, LOX_TOKEN_RIGHT_PAREN, "Expect ')' after condition.");
  result->if_.then_branch = statement(parser);
  if (lox_parser_match(parser, LOX_TOKEN_ELSE))
    result->if_.else_branch = statement(parser);
  return result;
}

static struct lox_statement *loop_body(struct lox_parser *parser) {
  int loops = parser->loops;
  struct lox_statement *result =
      lox_parser_enter_loop(parser)
          ? statement(parser)
          : lox_parser_new_statement(parser, LOX_BLOCK, parser->previous.line);
  parser->loops = loops;
  return result;
}

/* whileStmt -> "while" "(" expression ")" statement ; */
static struct lox_statement *while_statement(struct lox_parser *parser) {
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_WHILE, parser->previous.line);
  lox_parser_consume(parser, LOX_TOKEN_LEFT_PAREN, "Expect '(' after 'while'.");
  result->while_.condition = lox_parser_expression(parser);
  lox_parser_consume(parser, LOX_TOKEN_RIGHT_PAREN, "Expect ')' after condition.");
  result->while_.body = loop_body(parser);
  return result;
}

static struct lox_statement *for_initializer(struct lox_parser *parser) {
  if (lox_parser_match(parser, LOX_TOKEN_SEMICOLON))
    return NULL;
  if (lox_parser_match(parser, LOX_TOKEN_VAR))
    return var_declaration(parser);
  return expression_statement(parser);
}

/* forStmt -> "for" "(" ( varDecl | exprStmt | ";" ) expression? ";" expression? ")" statement ; */
static struct lox_statement *for_statement(struct lox_parser *parser) {
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_FOR, parser->previous.line);
  lox_resolver_open_scope(&parser->resolver);
  lox_parser_consume(parser, LOX_TOKEN_LEFT_PAREN, "Expect '(' after 'for'.");
  result->for_.initializer = for_initializer(parser);
  if (!lox_parser_match(parser, LOX_TOKEN_SEMICOLON)) {
    result->for_.condition = lox_parser_expression(parser);
    lox_parser_consume(parser, LOX_TOKEN_SEMICOLON, "Expect ';' after loop condition.");
  }
  if (!lox_parser_match(parser, LOX_TOKEN_RIGHT_PAREN)) {
    result->for_.increment = lox_parser_expression(parser);
    lox_parser_consume(parser, LOX_TOKEN_RIGHT_PAREN, "Expect ')' after for clauses.");
  }
  result->for_.body = loop_body(parser);
  lox_resolver_close_scope(&parser->resolver);
  return result;
}

/* statement -> exprStmt | forStmt | ifStmt | printStmt | returnStmt | throwStmt | tryStmt |
 * whileStmt | block ; */
static struct lox_statement *choose_statement(struct lox_parser *parser) {
  if (lox_parser_match(parser, LOX_TOKEN_PRINT))
    return print_statement(parser);
  if (lox_parser_match(parser, LOX_TOKEN_FOR))
    return for_statement(parser);
  if (lox_parser_match(parser, LOX_TOKEN_IF))
    return if_statement(parser);
  if (lox_parser_match(parser, LOX_TOKEN_RETURN))
    return return_statement(parser);
  if (lox_parser_match(parser, LOX_TOKEN_WHILE))
    return while_statement(parser);
  if (lox_parser_match(parser, LOX_TOKEN_LEFT_BRACE))
    return lox_parser_block_statement(parser);
  struct lox_statement *exceptional = lox_parser_exception_statement(parser);
  return exceptional ? exceptional : expression_statement(parser);
}

static struct lox_statement *statement(struct lox_parser *parser) {
  int nesting = parser->nesting;
  struct lox_statement *result =
      lox_parser_descend(parser)
          ? choose_statement(parser)
          : lox_parser_new_statement(parser, LOX_BLOCK, parser->previous.line);
  parser->nesting = nesting;
  return result;
}

/* declaration -> classDecl | funDecl | varDecl | statement ; */
struct lox_statement *lox_parser_declaration(struct lox_parser *parser) {
  struct lox_statement *result;
  if (lox_parser_match(parser, LOX_TOKEN_CLASS))
    result = lox_parser_class_declaration(parser);
  else if (lox_parser_match(parser, LOX_TOKEN_FUN))
    result = lox_parser_function_declaration(parser);
  else if (lox_parser_match(parser, LOX_TOKEN_VAR))
    result = var_declaration(parser);
  else
    result = statement(parser);
  if (parser->in_panic)
    lox_parser_synchronise(parser);
  return result;
}
