#include <stdlib.h>

#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/parser.h"

enum precedence {
  PRECEDENCE_NONE,
  PRECEDENCE_ASSIGNMENT,
  PRECEDENCE_OR,
  PRECEDENCE_AND,
  PRECEDENCE_EQUALITY,
  PRECEDENCE_COMPARISON,
  PRECEDENCE_TERM,
  PRECEDENCE_FACTOR,
  PRECEDENCE_UNARY,
  PRECEDENCE_CALL,
  PRECEDENCE_PRIMARY,
};

/* Called after the first token was taken. `can_assign`: a following `=` would assign to the
 * expression. */
typedef struct lox_expression *prefix_parser(struct lox_parser *parser, bool can_assign);
typedef struct lox_expression *infix_parser(struct lox_parser *parser, struct lox_expression *left,
                                            bool can_assign);

struct rule {
  prefix_parser *prefix;
  infix_parser *infix;
  enum precedence precedence; /* the infix operator's */
  enum lox_operator op;       /* for `binary` */
};

static const struct rule *rule_of(enum lox_token_type type);
static struct lox_expression *parse_precedence(struct lox_parser *parser,
                                               enum precedence precedence);

/* After the operands, because the node gets the previous token's line. */
static struct lox_expression *new_expression(struct lox_parser *parser,
                                             enum lox_expression_type type) {
  struct lox_expression *expression =
      lox_arena_allocate(parser->arena, sizeof(struct lox_expression));
  expression->type = type;
  expression->line = parser->previous.line;
  return expression;
}

/* primary -> NUMBER ; */
static struct lox_expression *number(struct lox_parser *parser, bool can_assign) {
  struct lox_expression *expression = new_expression(parser, LOX_NUMBER);
  expression->number =
      strtod(lox_arena_copy(parser->arena, parser->previous.start, parser->previous.length), NULL);
  return expression;
}

/* primary -> STRING ; */
static struct lox_expression *string(struct lox_parser *parser, bool can_assign) {
  struct lox_expression *expression = new_expression(parser, LOX_STRING);
  size_t length = parser->previous.length - 2;
  expression->string = (struct lox_string){
      lox_arena_copy(parser->arena, parser->previous.start + 1, length), length};
  return expression;
}

/* primary -> "true" | "false" | "nil" ; */
static struct lox_expression *literal(struct lox_parser *parser, bool can_assign) {
  enum lox_token_type type = parser->previous.type;
  return new_expression(parser, type == LOX_TOKEN_TRUE    ? LOX_TRUE
                                : type == LOX_TOKEN_FALSE ? LOX_FALSE
                                                          : LOX_NIL);
}

/* primary -> "(" expression ")" ; */
static struct lox_expression *grouping(struct lox_parser *parser, bool can_assign) {
  struct lox_expression *expression = lox_parser_expression(parser);
  lox_parser_consume(parser, LOX_TOKEN_RIGHT_PAREN, "Expect ')' after expression.");
  return expression;
}

/* primary -> "[" ( expression ( "," expression )* )? "]" ; */
static struct lox_expression *list(struct lox_parser *parser, bool can_assign) {
  struct lox_expression_list elements = {0};
  if (!lox_parser_check(parser, LOX_TOKEN_RIGHT_BRACKET)) {
    do {
      LOX_APPEND(parser->arena, elements.items, elements.count, lox_parser_expression(parser));
      if (elements.count == LOX_MAX_ITEMS + 1)
        lox_parser_error(parser, "Can't have more than 4000 items in a list.");
    } while (lox_parser_match(parser, LOX_TOKEN_COMMA));
  }
  lox_parser_consume(parser, LOX_TOKEN_RIGHT_BRACKET, "Expect ']' after list elements.");
  struct lox_expression *expression = new_expression(parser, LOX_LIST);
  expression->list = elements;
  return expression;
}

static void resolve(struct lox_parser *parser, struct lox_name *name,
                    struct lox_reference *reference) {
  if (!lox_resolver_use(&parser->resolver, name, reference))
    lox_parser_error(parser, "Can't read local variable in its own initializer.");
}

struct lox_expression *lox_parser_variable(struct lox_parser *parser) {
  struct lox_expression *expression = new_expression(parser, LOX_VARIABLE);
  resolve(parser, lox_parser_name(parser), &expression->variable);
  return expression;
}

/* primary -> IDENTIFIER ;
 * assignment -> IDENTIFIER "=" assignment ; */
static struct lox_expression *variable(struct lox_parser *parser, bool can_assign) {
  struct lox_expression *use = lox_parser_variable(parser);
  if (!can_assign || !lox_parser_match(parser, LOX_TOKEN_EQUAL))
    return use;
  struct lox_expression *value = lox_parser_expression(parser);
  struct lox_expression *expression = new_expression(parser, LOX_ASSIGN);
  expression->assign.target = use->variable;
  expression->assign.value = value;
  lox_resolver_assign(&parser->resolver, &use->variable, value);
  return expression;
}

/* primary -> "this" ; */
static struct lox_expression *this_(struct lox_parser *parser, bool can_assign) {
  if (!parser->innermost_class) {
    lox_parser_error(parser, "Can't use 'this' outside of a class.");
    return new_expression(parser, LOX_NIL);
  }
  return lox_parser_variable(parser);
}

/* primary -> "super" "." IDENTIFIER ; */
static struct lox_expression *super_(struct lox_parser *parser, bool can_assign) {
  const struct lox_open_class *open = parser->innermost_class;
  bool is_usable = open && open->class_->superclass_variable;
  if (!open)
    lox_parser_error(parser, "Can't use 'super' outside of a class.");
  else if (!is_usable)
    lox_parser_error(parser, "Can't use 'super' in a class with no superclass.");
  lox_parser_consume(parser, LOX_TOKEN_DOT, "Expect '.' after 'super'.");
  lox_parser_consume(parser, LOX_TOKEN_IDENTIFIER, "Expect superclass method name.");
  if (!is_usable)
    return new_expression(parser, LOX_NIL);
  struct lox_expression *expression = new_expression(parser, LOX_SUPER);
  expression->super.name = lox_parser_name(parser);
  resolve(parser, parser->this_name, &expression->super.receiver);
  resolve(parser, parser->super_name, &expression->super.superclass);
  return expression;
}

/* unary -> ( "!" | "-" ) unary ; */
static struct lox_expression *unary(struct lox_parser *parser, bool can_assign) {
  enum lox_operator op = parser->previous.type == LOX_TOKEN_MINUS ? LOX_OP_NEGATE : LOX_OP_NOT;
  struct lox_expression *operand = parse_precedence(parser, PRECEDENCE_UNARY);
  struct lox_expression *expression = new_expression(parser, LOX_UNARY);
  expression->unary.operand = operand;
  expression->unary.op = op;
  return expression;
}

/* equality -> comparison ( ( "!=" | "==" ) comparison )* ;
 * comparison -> term ( ( ">" | ">=" | "<" | "<=" ) term )* ;
 * term -> factor ( ( "-" | "+" ) factor )* ;
 * factor -> unary ( ( "/" | "*" ) unary )* ; */
static struct lox_expression *binary(struct lox_parser *parser, struct lox_expression *left,
                                     bool can_assign) {
  enum lox_token_type type = parser->previous.type;
  struct lox_expression *right = parse_precedence(parser, rule_of(type)->precedence + 1);
  struct lox_expression *expression = new_expression(parser, LOX_BINARY);
  expression->binary.op = rule_of(type)->op;
  expression->binary.left = left;
  expression->binary.right = right;
  return expression;
}

/* or -> and ( "or" and )* ;
 * and -> equality ( "and" equality )* ; */
static struct lox_expression *logical(struct lox_parser *parser, struct lox_expression *left,
                                      bool can_assign) {
  enum lox_token_type type = parser->previous.type;
  struct lox_expression *right = parse_precedence(parser, rule_of(type)->precedence);
  struct lox_expression *expression =
      new_expression(parser, type == LOX_TOKEN_AND ? LOX_AND : LOX_OR);
  expression->binary.left = left;
  expression->binary.right = right;
  return expression;
}

/* call -> call "(" ( expression ( "," expression )* )? ")" ; */
static struct lox_expression *call(struct lox_parser *parser, struct lox_expression *callee,
                                   bool can_assign) {
  struct lox_expression_list arguments = {0};
  if (!lox_parser_check(parser, LOX_TOKEN_RIGHT_PAREN)) {
    do {
      LOX_APPEND(parser->arena, arguments.items, arguments.count, lox_parser_expression(parser));
      if (arguments.count == LOX_MAX_ARGUMENTS + 1)
        lox_parser_error(parser, "Can't have more than 255 arguments.");
    } while (lox_parser_match(parser, LOX_TOKEN_COMMA));
  }
  lox_parser_consume(parser, LOX_TOKEN_RIGHT_PAREN, "Expect ')' after arguments.");
  struct lox_expression *expression = new_expression(parser, LOX_CALL);
  expression->call.callee = callee;
  expression->call.arguments = arguments;
  parser->resolver.innermost->function->makes_calls = true;
  struct lox_program *program = parser->program;
  LOX_APPEND(parser->arena, program->calls.items, program->calls.count, expression);
  return expression;
}

static void predict_field(struct lox_parser *parser, const struct lox_expression *object,
                          const struct lox_name *name) {
  if (object->type != LOX_VARIABLE || object->variable.kind == LOX_REFERENCE_GLOBAL ||
      object->variable.variable->name != parser->this_name)
    return;
  struct lox_class *class_ = object->variable.variable->owner->class_;
  for (uint32_t i = 0; i < class_->field_count; i++) {
    if (class_->fields[i] == name)
      return;
  }
  LOX_APPEND(parser->arena, class_->fields, class_->field_count, name);
}

/* call -> call "." IDENTIFIER ;
 * assignment -> call "." IDENTIFIER "=" assignment ; */
static struct lox_expression *dot(struct lox_parser *parser, struct lox_expression *object,
                                  bool can_assign) {
  lox_parser_consume(parser, LOX_TOKEN_IDENTIFIER, "Expect property name after '.'.");
  const struct lox_name *name = lox_parser_name(parser);
  if (!can_assign || !lox_parser_match(parser, LOX_TOKEN_EQUAL)) {
    struct lox_expression *get = new_expression(parser, LOX_GET);
    get->get.object = object;
    get->get.name = name;
    return get;
  }
  struct lox_expression *value = lox_parser_expression(parser);
  struct lox_expression *set = new_expression(parser, LOX_SET);
  set->set.object = object;
  set->set.value = value;
  set->set.name = name;
  predict_field(parser, object, name);
  return set;
}

/* call -> call "[" expression "]" ;
 * assignment -> call "[" expression "]" "=" assignment ; */
static struct lox_expression *subscript(struct lox_parser *parser, struct lox_expression *object,
                                        bool can_assign) {
  struct lox_expression *index = lox_parser_expression(parser);
  lox_parser_consume(parser, LOX_TOKEN_RIGHT_BRACKET, "Expect ']' after index.");
  if (!can_assign || !lox_parser_match(parser, LOX_TOKEN_EQUAL)) {
    struct lox_expression *get = new_expression(parser, LOX_INDEX);
    get->index.object = object;
    get->index.index = index;
    return get;
  }
  struct lox_expression *value = lox_parser_expression(parser);
  struct lox_expression *set = new_expression(parser, LOX_INDEX_SET);
  set->index_set.object = object;
  set->index_set.index = index;
  set->index_set.value = value;
  return set;
}

static const struct rule rules[LOX_TOKEN_COUNT] = {
    [LOX_TOKEN_LEFT_PAREN] = {.prefix = grouping, .infix = call, .precedence = PRECEDENCE_CALL},
    [LOX_TOKEN_LEFT_BRACKET] = {.prefix = list, .infix = subscript, .precedence = PRECEDENCE_CALL},
    [LOX_TOKEN_DOT] = {.infix = dot, .precedence = PRECEDENCE_CALL},
    [LOX_TOKEN_MINUS] = {unary, binary, PRECEDENCE_TERM, LOX_OP_SUBTRACT},
    [LOX_TOKEN_PLUS] = {NULL, binary, PRECEDENCE_TERM, LOX_OP_ADD},
    [LOX_TOKEN_SLASH] = {NULL, binary, PRECEDENCE_FACTOR, LOX_OP_DIVIDE},
    [LOX_TOKEN_STAR] = {NULL, binary, PRECEDENCE_FACTOR, LOX_OP_MULTIPLY},
    [LOX_TOKEN_BANG] = {.prefix = unary},
    [LOX_TOKEN_BANG_EQUAL] = {NULL, binary, PRECEDENCE_EQUALITY, LOX_OP_NOT_EQUAL},
    [LOX_TOKEN_EQUAL_EQUAL] = {NULL, binary, PRECEDENCE_EQUALITY, LOX_OP_EQUAL},
    [LOX_TOKEN_GREATER] = {NULL, binary, PRECEDENCE_COMPARISON, LOX_OP_GREATER},
    [LOX_TOKEN_GREATER_EQUAL] = {NULL, binary, PRECEDENCE_COMPARISON, LOX_OP_GREATER_EQUAL},
    [LOX_TOKEN_LESS] = {NULL, binary, PRECEDENCE_COMPARISON, LOX_OP_LESS},
    [LOX_TOKEN_LESS_EQUAL] = {NULL, binary, PRECEDENCE_COMPARISON, LOX_OP_LESS_EQUAL},
    [LOX_TOKEN_AND] = {.infix = logical, .precedence = PRECEDENCE_AND},
    [LOX_TOKEN_OR] = {.infix = logical, .precedence = PRECEDENCE_OR},
    [LOX_TOKEN_IDENTIFIER] = {.prefix = variable},
    [LOX_TOKEN_STRING] = {.prefix = string},
    [LOX_TOKEN_NUMBER] = {.prefix = number},
    [LOX_TOKEN_TRUE] = {.prefix = literal},
    [LOX_TOKEN_FALSE] = {.prefix = literal},
    [LOX_TOKEN_NIL] = {.prefix = literal},
    [LOX_TOKEN_THIS] = {.prefix = this_},
    [LOX_TOKEN_SUPER] = {.prefix = super_},
};

static const struct rule *rule_of(enum lox_token_type type) {
  return &rules[type];
}

/* Each infix operator puts the expression read so far one level deeper. */
static struct lox_expression *parse_operators(struct lox_parser *parser,
                                              enum precedence precedence) {
  lox_parser_advance(parser);
  prefix_parser *prefix = rule_of(parser->previous.type)->prefix;
  if (!prefix) {
    lox_parser_error(parser, "Expect expression.");
    return new_expression(parser, LOX_NIL);
  }
  bool can_assign = precedence <= PRECEDENCE_ASSIGNMENT;
  struct lox_expression *left = prefix(parser, can_assign);
  while (precedence <= rule_of(parser->current.type)->precedence && lox_parser_descend(parser)) {
    lox_parser_advance(parser);
    left = rule_of(parser->previous.type)->infix(parser, left, can_assign);
  }
  if (can_assign && lox_parser_match(parser, LOX_TOKEN_EQUAL))
    lox_parser_error(parser, "Invalid assignment target.");
  return left;
}

static struct lox_expression *parse_precedence(struct lox_parser *parser,
                                               enum precedence precedence) {
  int nesting = parser->nesting;
  struct lox_expression *expression = lox_parser_descend(parser)
                                          ? parse_operators(parser, precedence)
                                          : new_expression(parser, LOX_NIL);
  parser->nesting = nesting;
  return expression;
}

/* expression -> assignment ; */
struct lox_expression *lox_parser_expression(struct lox_parser *parser) {
  return parse_precedence(parser, PRECEDENCE_ASSIGNMENT);
}
