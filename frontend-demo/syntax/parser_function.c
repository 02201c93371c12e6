#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/parser.h"

struct lox_function *lox_parser_new_function(struct lox_parser *parser, enum lox_function_kind kind,
                                             const struct lox_name *name) {
  struct lox_program *program = parser->program;
  struct lox_function *function = lox_arena_allocate(parser->arena, sizeof(struct lox_function));
  function->kind = kind;
  function->name = name;
  function->line = parser->previous.line;
  function->index = program->function_count;
  LOX_APPEND(parser->arena, program->functions, program->function_count, function);
  return function;
}

/* parameters -> IDENTIFIER ( "," IDENTIFIER )* ; */
static void parameters(struct lox_parser *parser, struct lox_function *function) {
  do {
    if (++function->arity == LOX_MAX_ARGUMENTS + 1)
      lox_parser_error_at_current(parser, "Can't have more than 255 parameters.");
    struct lox_reference parameter;
    lox_parser_declare(parser, "Expect parameter name.", &parameter);
    lox_resolver_initialise(&parser->resolver, &parameter);
  } while (lox_parser_match(parser, LOX_TOKEN_COMMA));
}

/* function -> IDENTIFIER "(" parameters? ")" block ;  the name has been taken */
static void function_rest(struct lox_parser *parser, struct lox_function *function) {
  lox_parser_consume(parser, LOX_TOKEN_LEFT_PAREN, "Expect '(' after function name.");
  if (!lox_parser_check(parser, LOX_TOKEN_RIGHT_PAREN))
    parameters(parser, function);
  lox_parser_consume(parser, LOX_TOKEN_RIGHT_PAREN, "Expect ')' after parameters.");
  lox_parser_consume(parser, LOX_TOKEN_LEFT_BRACE, "Expect '{' before function body.");
  function->body = lox_parser_block(parser);
  function->end_line = parser->previous.line;
}

static struct lox_function *function(struct lox_parser *parser, enum lox_function_kind kind,
                                     struct lox_name *name, struct lox_class *class_) {
  struct lox_function *result = lox_parser_new_function(parser, kind, name);
  struct lox_open_function open;
  int nesting = parser->nesting, loops = parser->loops;
  parser->loops = 0;
  lox_resolver_enter(&parser->resolver, &open, result);
  if (class_) {
    result->class_ = class_;
    result->receiver =
        lox_resolver_declare_implicit(&parser->resolver, parser->this_name, result->line);
  }
  lox_resolver_open_scope(&parser->resolver);
  if (lox_parser_descend(parser))
    function_rest(parser, result);
  parser->nesting = nesting;
  parser->loops = loops;
  lox_resolver_leave(&parser->resolver);
  return result;
}

/* funDecl -> "fun" function ; */
struct lox_statement *lox_parser_function_declaration(struct lox_parser *parser) {
  struct lox_statement *statement = lox_parser_new_statement(parser, LOX_FUNCTION);
  struct lox_reference *target = &statement->function.target;
  struct lox_name *name = lox_parser_declare(parser, "Expect function name.", target);
  lox_resolver_initialise(&parser->resolver, target);
  statement->function.function = function(parser, LOX_PLAIN_FUNCTION, name, NULL);
  if (target->kind == LOX_REFERENCE_GLOBAL)
    target->global->function = statement->function.function;
  return statement;
}

static struct lox_class *new_class(struct lox_parser *parser) {
  struct lox_program *program = parser->program;
  struct lox_class *class_ = lox_arena_allocate(parser->arena, sizeof(struct lox_class));
  class_->index = program->class_count;
  LOX_APPEND(parser->arena, program->classes, program->class_count, class_);
  return class_;
}

/* method -> function ; */
static void method(struct lox_parser *parser, struct lox_class *class_) {
  lox_parser_consume(parser, LOX_TOKEN_IDENTIFIER, "Expect method name.");
  struct lox_name *name = lox_parser_name(parser);
  enum lox_function_kind kind = name == parser->init_name ? LOX_INITIALIZER : LOX_METHOD;
  LOX_APPEND(parser->arena, class_->methods, class_->method_count,
             function(parser, kind, name, class_));
}

/* superclass -> "<" IDENTIFIER ;  the `<` has been taken */
static void superclass(struct lox_parser *parser, struct lox_class *class_) {
  lox_parser_consume(parser, LOX_TOKEN_IDENTIFIER, "Expect superclass name.");
  class_->superclass = lox_parser_variable(parser);
  if (lox_parser_name(parser) == class_->name)
    lox_parser_error(parser, "A class can't inherit from itself.");
  lox_resolver_open_scope(&parser->resolver);
  class_->superclass_variable =
      lox_resolver_declare_implicit(&parser->resolver, parser->super_name, parser->previous.line);
}

static void class_body(struct lox_parser *parser, struct lox_class *class_) {
  lox_parser_consume(parser, LOX_TOKEN_LEFT_BRACE, "Expect '{' before class body.");
  while (!lox_parser_check(parser, LOX_TOKEN_RIGHT_BRACE) &&
         !lox_parser_check(parser, LOX_TOKEN_END))
    method(parser, class_);
  lox_parser_consume(parser, LOX_TOKEN_RIGHT_BRACE, "Expect '}' after class body.");
  class_->end_line = parser->previous.line;
}

/* classDecl -> "class" IDENTIFIER superclass? "{" method* "}" ; */
struct lox_statement *lox_parser_class_declaration(struct lox_parser *parser) {
  struct lox_statement *statement = lox_parser_new_statement(parser, LOX_CLASS);
  struct lox_class *class_ = new_class(parser);
  statement->class_ = class_;
  class_->name = lox_parser_declare(parser, "Expect class name.", &class_->target);
  class_->line = parser->previous.line;
  lox_resolver_initialise(&parser->resolver, &class_->target);
  if (class_->target.kind == LOX_REFERENCE_GLOBAL)
    class_->target.global->class_ = class_;

  struct lox_open_class open = {.enclosing = parser->innermost_class, .class_ = class_};
  parser->innermost_class = &open;
  if (lox_parser_match(parser, LOX_TOKEN_LESS))
    superclass(parser, class_);
  class_body(parser, class_);
  if (class_->superclass)
    lox_resolver_close_scope(&parser->resolver);
  parser->innermost_class = open.enclosing;
  return statement;
}
