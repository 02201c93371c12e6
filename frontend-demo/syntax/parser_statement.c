#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/parser.h"

static struct lox_statement *statement(struct lox_parser *parser);

struct lox_statement *lox_parser_new_statement(struct lox_parser *parser,
                                               enum lox_statement_type type) {
  struct lox_statement *result = lox_arena_allocate(parser->arena, sizeof(struct lox_statement));
  result->type = type;
  result->line = parser->previous.line;
  return result;
}

/* block -> "{" declaration* "}" ;  the opening brace has been taken */
struct lox_statement_list lox_parser_block(struct lox_parser *parser) {
  struct lox_statement_list list = {0};
  while (!lox_parser_check(parser, LOX_TOKEN_RIGHT_BRACE) &&
         !lox_parser_check(parser, LOX_TOKEN_END))
    LOX_APPEND(parser->arena, list.items, list.count, lox_parser_declaration(parser));
  lox_parser_consume(parser, LOX_TOKEN_RIGHT_BRACE, "Expect '}' after block.");
  return list;
}

struct lox_statement *lox_parser_block_statement(struct lox_parser *parser) {
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_BLOCK);
  lox_resolver_open_scope(&parser->resolver);
  result->block = lox_parser_block(parser);
  lox_resolver_close_scope(&parser->resolver);
  return result;
}

/* varDecl -> "var" IDENTIFIER ( "=" expression )? ";" ; */
static struct lox_statement *var_declaration(struct lox_parser *parser) {
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_VAR);
  lox_parser_declare(parser, "Expect variable name.", &result->var.target);
  if (lox_parser_match(parser, LOX_TOKEN_EQUAL))
    result->var.initializer = lox_parser_expression(parser);
  lox_parser_end_statement(parser, "Expect ';' after variable declaration.");
  lox_resolver_initialise(&parser->resolver, &result->var.target);
  struct lox_variable *variable = result->var.target.variable;
  if (variable) {
    variable->is_inferred = true;
    LOX_APPEND(parser->arena, variable->values.items, variable->values.count,
               result->var.initializer);
  }
  return result;
}

/* exprStmt -> expression ";" ; */
static struct lox_statement *expression_statement(struct lox_parser *parser) {
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_EXPRESSION);
  result->line = parser->current.line;
  result->expression = lox_parser_expression(parser);
  lox_parser_end_statement(parser, "Expect ';' after expression.");
  return result;
}

/* printStmt -> "print" expression ";" ; */
static struct lox_statement *print_statement(struct lox_parser *parser) {
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_PRINT);
  result->expression = lox_parser_expression(parser);
  lox_parser_end_statement(parser, "Expect ';' after value.");
  return result;
}

/* returnStmt -> "return" expression? ";" ; */
static struct lox_statement *return_statement(struct lox_parser *parser) {
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_RETURN);
  struct lox_function *function = parser->resolver.innermost->function;
  enum lox_function_kind kind = function->kind;
  if (kind == LOX_SCRIPT)
    lox_parser_error(parser, "Can't return from top-level code.");
  if (!lox_parser_match(parser, LOX_TOKEN_SEMICOLON)) {
    if (kind == LOX_INITIALIZER)
      lox_parser_error(parser, "Can't return a value from an initializer.");
    result->value = lox_parser_expression(parser);
    lox_parser_end_statement(parser, "Expect ';' after return value.");
  }
  LOX_APPEND(parser->arena, function->returns.items, function->returns.count, result->value);
  return result;
}

/* "(" expression ")" */
static struct lox_expression *condition(struct lox_parser *parser, const char *message) {
  lox_parser_consume(parser, LOX_TOKEN_LEFT_PAREN, message);
  struct lox_expression *result = lox_parser_expression(parser);
  lox_parser_consume(parser, LOX_TOKEN_RIGHT_PAREN, "Expect ')' after condition.");
  return result;
}

/* ifStmt -> "if" "(" expression ")" statement ( "else" statement )? ; */
static struct lox_statement *if_statement(struct lox_parser *parser) {
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_IF);
  result->if_.condition = condition(parser, "Expect '(' after 'if'.");
  result->if_.then_branch = statement(parser);
  if (lox_parser_match(parser, LOX_TOKEN_ELSE))
    result->if_.else_branch = statement(parser);
  return result;
}

static struct lox_statement *loop_body(struct lox_parser *parser) {
  int loops = parser->loops;
  struct lox_statement *result = lox_parser_enter_loop(parser)
                                     ? statement(parser)
                                     : lox_parser_new_statement(parser, LOX_BLOCK);
  parser->loops = loops;
  return result;
}

/* whileStmt -> "while" "(" expression ")" statement ; */
static struct lox_statement *while_statement(struct lox_parser *parser) {
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_WHILE);
  result->while_.condition = condition(parser, "Expect '(' after 'while'.");
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
  struct lox_statement *result = lox_parser_new_statement(parser, LOX_FOR);
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
  struct lox_statement *result = lox_parser_descend(parser)
                                     ? choose_statement(parser)
                                     : lox_parser_new_statement(parser, LOX_BLOCK);
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
