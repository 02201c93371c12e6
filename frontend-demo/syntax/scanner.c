#include "frontend-demo/syntax/scanner.h"

#include <string.h>

void lox_scanner_init(struct lox_scanner *scanner, struct lox_string source) {
  *scanner = (struct lox_scanner){.start = source.bytes,
                                  .current = source.bytes,
                                  .end = source.bytes + source.length,
                                  .line = 1};
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool at_end(const struct lox_scanner *scanner) {
  return scanner->current == scanner->end;
}

/* NUL beyond the end, because callers compare with other bytes. */
static char peek(const struct lox_scanner *scanner, ptrdiff_t distance) {
  if (scanner->end - scanner->current <= distance)
    return '\0';
  return scanner->current[distance];
}

static bool match(struct lox_scanner *scanner, char expected) {
  if (at_end(scanner) || *scanner->current != expected)
    return false;
  scanner->current++;
  return true;
}

static struct lox_token token(const struct lox_scanner *scanner, enum lox_token_type type) {
  return (struct lox_token){.type = type,
                            .line = scanner->line,
                            .start = scanner->start,
                            .length = (size_t)(scanner->current - scanner->start)};
}

static void skip_line_comment(struct lox_scanner *scanner) {
  while (!at_end(scanner) && *scanner->current != '\n')
    scanner->current++;
}

static void skip_blanks(struct lox_scanner *scanner) {
  while (!at_end(scanner)) {
    char c = *scanner->current;
    if (c == '/' && peek(scanner, 1) == '/') {
      skip_line_comment(scanner);
      continue;
    }
    if (c != ' ' && c != '\r' && c != '\t' && c != '\n')
      return;
    if (c == '\n')
      scanner->line++;
    scanner->current++;
  }
}

static struct lox_token string(struct lox_scanner *scanner) {
  while (!at_end(scanner) && *scanner->current != '"') {
    if (*scanner->current == '\n')
      scanner->line++;
    scanner->current++;
  }
  if (at_end(scanner))
    return token(scanner, LOX_TOKEN_UNTERMINATED_STRING);
  scanner->current++;
  return token(scanner, LOX_TOKEN_STRING);
}

static struct lox_token number(struct lox_scanner *scanner) {
  while (is_digit(peek(scanner, 0)))
    scanner->current++;
  if (peek(scanner, 0) == '.' && is_digit(peek(scanner, 1))) {
    scanner->current++;
    while (is_digit(peek(scanner, 0)))
      scanner->current++;
  }
  return token(scanner, LOX_TOKEN_NUMBER);
}

static const struct {
  const char *text;
  enum lox_token_type type;
} keywords[] = {
    {"and", LOX_TOKEN_AND},     {"class", LOX_TOKEN_CLASS},   {"else", LOX_TOKEN_ELSE},
    {"false", LOX_TOKEN_FALSE}, {"for", LOX_TOKEN_FOR},       {"fun", LOX_TOKEN_FUN},
    {"if", LOX_TOKEN_IF},       {"nil", LOX_TOKEN_NIL},       {"or", LOX_TOKEN_OR},
    {"print", LOX_TOKEN_PRINT}, {"return", LOX_TOKEN_RETURN}, {"super", LOX_TOKEN_SUPER},
    {"this", LOX_TOKEN_THIS},   {"true", LOX_TOKEN_TRUE},     {"var", LOX_TOKEN_VAR},
    {"while", LOX_TOKEN_WHILE},
};

static enum lox_token_type name_type(const char *start, size_t length) {
  for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
    if (strlen(keywords[i].text) == length && memcmp(keywords[i].text, start, length) == 0)
      return keywords[i].type;
  }
  return LOX_TOKEN_IDENTIFIER;
}

static struct lox_token name(struct lox_scanner *scanner) {
  while (is_name_start(peek(scanner, 0)) || is_digit(peek(scanner, 0)))
    scanner->current++;
  return token(scanner, name_type(scanner->start, (size_t)(scanner->current - scanner->start)));
}

/* `single` is in the order of token types; in `doubled`, the type with `=` follows each. */
static struct lox_token punctuation(struct lox_scanner *scanner, char c) {
  static const char single[] = "(){}[],.-+;/*", doubled[] = "!=><";
  const char *found = memchr(single, c, sizeof single - 1);
  if (found)
    return token(scanner, LOX_TOKEN_LEFT_PAREN + (enum lox_token_type)(found - single));
  found = memchr(doubled, c, sizeof doubled - 1);
  if (!found)
    return token(scanner, LOX_TOKEN_UNEXPECTED_CHARACTER);
  enum lox_token_type type = LOX_TOKEN_BANG + 2 * (enum lox_token_type)(found - doubled);
  return token(scanner, type + match(scanner, '='));
}

struct lox_token lox_scanner_next(struct lox_scanner *scanner) {
  skip_blanks(scanner);
  scanner->start = scanner->current;
  if (at_end(scanner))
    return token(scanner, LOX_TOKEN_END);
  char c = *scanner->current++;
  if (c == '"')
    return string(scanner);
  if (is_digit(c))
    return number(scanner);
  if (is_name_start(c))
    return name(scanner);
  return punctuation(scanner, c);
}

static int opened_by(enum lox_token_type type) {
  switch (type) {
  case LOX_TOKEN_LEFT_PAREN:
  case LOX_TOKEN_LEFT_BRACE:
  case LOX_TOKEN_LEFT_BRACKET: return 1;
  case LOX_TOKEN_RIGHT_PAREN:
  case LOX_TOKEN_RIGHT_BRACE:
  case LOX_TOKEN_RIGHT_BRACKET: return -1;
  default: return 0;
  }
}

bool lox_lines_are_complete(struct lox_lines *lines, struct lox_string source) {
  struct lox_scanner scanner;
  lox_scanner_init(&scanner, source);
  scanner.current += lines->scanned;
  lines->scanned = source.length;
  enum lox_token_type type =
      lines->end_in_string ? string(&scanner).type : lox_scanner_next(&scanner).type;
  for (; type != LOX_TOKEN_END; type = lox_scanner_next(&scanner).type) {
    lines->open += opened_by(type);
    lines->end_in_string = type == LOX_TOKEN_UNTERMINATED_STRING;
  }
  return lines->open <= 0 && !lines->end_in_string;
}
