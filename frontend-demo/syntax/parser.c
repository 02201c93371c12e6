#include "frontend-demo/syntax/parser.h"

#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/parse.h"

static void report(struct lox_parser *parser, const struct lox_token *token, const char *message) {
  if (parser->in_panic || parser->has_given_up)
    return;
  parser->in_panic = true;
  parser->had_error = true;
  fprintf(parser->errors, "[line %d] Error", token->line);
  bool is_scan_error =
      token->type == LOX_TOKEN_UNEXPECTED_CHARACTER || token->type == LOX_TOKEN_UNTERMINATED_STRING;
  if (token->type == LOX_TOKEN_END) {
    fputs(" at end", parser->errors);
  } else if (!is_scan_error) {
    fputs(" at '", parser->errors);
    fwrite(token->start, 1, token->length, parser->errors);
    fputs("'", parser->errors);
  }
  fprintf(parser->errors, ": %s\n", message);
}

void lox_parser_error(struct lox_parser *parser, const char *message) {
  report(parser, &parser->previous, message);
}

void lox_parser_error_at_current(struct lox_parser *parser, const char *message) {
  report(parser, &parser->current, message);
}

static bool starts_statement(enum lox_token_type type) {
  switch (type) {
  case LOX_TOKEN_CLASS:
  case LOX_TOKEN_FUN:
  case LOX_TOKEN_VAR:
  case LOX_TOKEN_FOR:
  case LOX_TOKEN_IF:
  case LOX_TOKEN_WHILE:
  case LOX_TOKEN_PRINT:
  case LOX_TOKEN_RETURN: return true;
  default: return false;
  }
}

void lox_parser_synchronise(struct lox_parser *parser) {
  parser->in_panic = false;
  while (parser->current.type != LOX_TOKEN_END) {
    if (parser->previous.type == LOX_TOKEN_SEMICOLON || starts_statement(parser->current.type))
      return;
    lox_parser_advance(parser);
  }
}

static void give_up(struct lox_parser *parser, const char *message) {
  lox_parser_error_at_current(parser, message);
  parser->had_error = true;
  parser->has_given_up = true;
  parser->scanner.current = parser->scanner.end;
  parser->current.type = LOX_TOKEN_END;
}

static bool enter(struct lox_parser *parser, int *level, int most, const char *message) {
  if (!parser->has_given_up && *level == most)
    give_up(parser, message);
  *level += !parser->has_given_up;
  return !parser->has_given_up;
}

bool lox_parser_descend(struct lox_parser *parser) {
  return enter(parser, &parser->nesting, LOX_MAX_NESTING, "Too much nesting.");
}

bool lox_parser_enter_loop(struct lox_parser *parser) {
  return enter(parser, &parser->loops, LOX_MAX_LOOPS, "Too many loops inside each other.");
}

void lox_parser_advance(struct lox_parser *parser) {
  parser->previous = parser->current;
  for (;;) {
    parser->current = lox_scanner_next(&parser->scanner);
    if (parser->current.type == LOX_TOKEN_UNEXPECTED_CHARACTER)
      lox_parser_error_at_current(parser, "Unexpected character.");
    else if (parser->current.type == LOX_TOKEN_UNTERMINATED_STRING)
      lox_parser_error_at_current(parser, "Unterminated string.");
    else
      return;
  }
}

bool lox_parser_check(const struct lox_parser *parser, enum lox_token_type type) {
  return parser->current.type == type;
}

bool lox_parser_match(struct lox_parser *parser, enum lox_token_type type) {
  if (!lox_parser_check(parser, type))
    return false;
  lox_parser_advance(parser);
  return true;
}

void lox_parser_consume(struct lox_parser *parser, enum lox_token_type type, const char *message) {
  if (!lox_parser_match(parser, type))
    lox_parser_error_at_current(parser, message);
}

void lox_parser_end_statement(struct lox_parser *parser, const char *message) {
  if (!parser->syntax.may_end_without_semicolon || !lox_parser_check(parser, LOX_TOKEN_END))
    lox_parser_consume(parser, LOX_TOKEN_SEMICOLON, message);
}

struct lox_name *lox_parser_name(struct lox_parser *parser) {
  return lox_names_intern(&parser->names, parser->previous.start, parser->previous.length);
}

struct lox_name *lox_parser_declare(struct lox_parser *parser, const char *message,
                                    struct lox_reference *target) {
  lox_parser_consume(parser, LOX_TOKEN_IDENTIFIER, message);
  struct lox_name *name = lox_parser_name(parser);
  if (!lox_resolver_declare(&parser->resolver, name, parser->previous.line, target))
    lox_parser_error(parser, "Already a variable with this name in this scope.");
  return name;
}

static void init(struct lox_parser *parser, const char *path, struct lox_string source,
                 FILE *errors) {
  struct lox_arena *arena = lox_arena_create();
  struct lox_program *program = lox_arena_allocate(arena, sizeof(struct lox_program));
  program->arena = arena;
  program->path = path;
  *parser =
      (struct lox_parser){.errors = errors, .arena = arena, .program = program, .source = source};
  parser->resolver = (struct lox_resolver){.arena = arena, .program = program};
  lox_scanner_init(&parser->scanner, source);
  lox_names_init(&parser->names, arena);
  parser->init_name = lox_names_intern(&parser->names, "init", 4);
  parser->this_name = lox_names_intern(&parser->names, "this", 4);
  parser->super_name = lox_names_intern(&parser->names, "super", 5);
}

static bool is_assignment(const struct lox_expression *expression) {
  return expression->type == LOX_ASSIGN || expression->type == LOX_SET ||
         expression->type == LOX_INDEX_SET;
}

static struct lox_statement *statement_of_script(struct lox_parser *parser) {
  struct lox_statement *statement = lox_parser_declaration(parser);
  if (parser->syntax.echoes && statement->type == LOX_EXPRESSION &&
      !is_assignment(statement->expression))
    statement->type = LOX_ECHO;
  return statement;
}

/* program -> declaration* END ; */
static void parse_script(struct lox_parser *parser) {
  struct lox_function *script = lox_parser_new_function(parser, LOX_SCRIPT, NULL);
  struct lox_open_function open;
  lox_resolver_enter(&parser->resolver, &open, script);
  parser->program->script = script;
  lox_parser_advance(parser);
  script->line = 1;
  while (!lox_parser_match(parser, LOX_TOKEN_END))
    LOX_APPEND(parser->arena, script->body.items, script->body.count, statement_of_script(parser));
  script->end_line = parser->previous.line;
  lox_resolver_leave(&parser->resolver);
  lox_resolver_finish(&parser->resolver);
}

struct lox_program *lox_parse_entry(const char *path, struct lox_string source,
                                    struct lox_entry_syntax syntax, FILE *errors) {
  struct lox_parser parser;
  init(&parser, path, source, errors);
  parser.syntax = syntax;
  parse_script(&parser);
  if (parser.had_error) {
    lox_program_free(parser.program);
    return NULL;
  }
  return parser.program;
}

struct lox_program *lox_parse(const char *path, struct lox_string source, FILE *errors) {
  return lox_parse_entry(path, source, (struct lox_entry_syntax){false}, errors);
}

void lox_program_free(struct lox_program *program) {
  if (program)
    lox_arena_destroy(program->arena);
}
