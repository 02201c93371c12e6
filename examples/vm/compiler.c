/* The compiler: one pass from characters to instructions. Expressions are parsed by Pratt's method.
 *
 *   program    := { statement }
 *   statement  := "let" NAME "=" expression ";" | "fun" NAME function
 *               | "class" NAME "{" { NAME function } "}" | block
 *               | "if" expression block [ "else" statement ] | "while" expression block
 *               | "return" [ expression ] ";" | "print" expression ";"
 *               | expression [ "=" expression ] ";"
 *   function   := "(" [ NAME { "," NAME } ] ")" block
 *   block      := "{" { statement } "}"
 *   expression := prefix { infix }
 *   prefix     := NUMBER | STRING | NAME | "nil" | "true" | "false" | "fun" function
 *               | ( "-" | "!" ) expression | "(" expression ")" | "[" expressions "]"
 *   infix      := OPERATOR expression | "(" expressions ")" | "." NAME | "[" expression "]"
 *
 * `#` begins a comment. A method's first variable is `self`. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vm.h"

/* The token: empty at the end. */
static const char *token;
static uint64_t length;
static int line;

/* The function that is being compiled. A variable's index is that of its word in the frame. */
enum { MOST_VARIABLES = 256, MOST_CODE = 1 << 14 };
static struct unit {
  struct unit *outer;
  list *constants, *variables;
  list *captures; /* instructions of the outer function, as integers, that would load them */
  uint32_t *code;
  uint64_t size;
  uint64_t label;        /* instructions before it are finished: jumps may end here */
  int words, most_words; /* of the frame: now, and at most */
  uint64_t blocks;       /* that have begun and not ended */
  uint64_t outermost;    /* variables outside blocks */
  bool is_init, captured[MOST_VARIABLES];
} *unit;

static const struct spgc_type function_type =
    SPGC_OBJECT_TYPE(struct function, SPGC_OFFSET(struct function, constants));

/* ---- Tokens ---- */

static _Noreturn void refuse(const char *message) {
  fail("line %d: %s, at '%.*s'", line, message, (int)length, token);
}

static bool begins_name(void) {
  return isalpha((unsigned char)*token) || *token == '_';
}

static uint64_t token_length(void) {
  if (begins_name())
    return strspn(token, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  if (isdigit((unsigned char)*token))
    return strspn(token, "0123456789.");
  if (*token == '"' && !strchr(token + 1, '"'))
    refuse("a string does not end");
  if (*token == '"')
    return strcspn(token + 1, "\"") + 2;
  return *token == '\0' ? 0 : 1 + (strchr("=!<>", *token) != NULL && token[1] == '=');
}

static void advance(void) {
  for (token += length; isspace((unsigned char)*token) || *token == '#'; token++) {
    line += *token == '\n';
    if (*token == '#')
      token += strcspn(token, "\n") - 1;
  }
  length = token_length();
}

static bool at(const char *text) {
  return strncmp(token, text, length) == 0 && text[length] == '\0';
}

static bool take(const char *text) {
  bool taken = at(text);
  if (taken)
    advance();
  return taken;
}

static void expect(const char *text) {
  if (!take(text))
    fail("line %d: '%s' is missing before '%.*s'", line, text, (int)length, token);
}

static string *take_name(void) {
  if (!begins_name())
    refuse("a name is missing");
  string *name = intern(token, length);
  advance();
  return name;
}

/* ---- Instructions and variables ---- */

static void grow_stack(int words) {
  unit->words += words;
  if (unit->words > unit->most_words)
    unit->most_words = unit->words;
}

#define EFFECT(name, effect) effect,
static const int effects[] = {OPERATIONS(EFFECT)};

/* Returns its index, for `land` if it jumps. */
static uint64_t emit(enum operation operation, uint64_t n) {
  if (unit->size == MOST_CODE)
    refuse("a function is too long");
  unit->code[unit->size] = operation | (uint32_t)n << 8;
  grow_stack(effects[operation]);
  return unit->size++;
}

static void emit_load(uint32_t load) {
  emit(load & 255, load >> 8);
}

static void land(uint64_t jump) {
  unit->code[jump] |= (uint32_t)(unit->size - jump - 1) << 8;
  unit->label = unit->size;
}

/* The operation of the last instruction, if it may be taken back. */
static enum operation last(void) {
  return unit->size > unit->label ? unit->code[unit->size - 1] & 255 : OP_POP;
}

/* Takes back the last instruction, and gives its n. */
static uint32_t retract(void) {
  uint32_t instruction = unit->code[--unit->size];
  unit->words -= effects[instruction & 255];
  return instruction >> 8;
}

/* The value's index in the list, to which it is added if need be. */
static uint64_t index_in(list *in, spgc_value value) {
  uint64_t i = 0;
  while (i < in->count && in->items->at[i] != value)
    i++;
  if (i == in->count)
    list_push(in, value);
  if (i == 1 << 16)
    refuse("a function has too many constants");
  return i;
}

static void emit_constant(enum operation operation, spgc_value value) {
  emit(operation, index_in(unit->constants, value));
}

static void declare(string *name) {
  uint64_t count = unit->variables->count;
  if (count == MOST_VARIABLES)
    refuse("a function has too many variables");
  list_push(unit->variables, (spgc_value)name);
  unit->captured[count] = false;
  if (unit->blocks == 0)
    unit->outermost = count + 1;
}

/* The instruction that loads the variable. */
static uint32_t load_of(struct unit *of, string *name) {
  for (uint64_t i = of->variables->count; i-- > 0;)
    if (of->variables->items->at[i] == (spgc_value)name)
      return (of->outer || i >= of->outermost ? OP_LOCAL : OP_GLOBAL) | (uint32_t)i << 8;
  if (!of->outer)
    fail("line %d: there is no variable %s", line, text_in_c(name, NULL));
  uint32_t load = load_of(of->outer, name);
  if ((load & 255) == OP_GLOBAL)
    return load;
  if ((load & 255) == OP_LOCAL)
    of->outer->captured[load >> 8] = true;
  uint64_t capture = index_in(of->captures, spgc_value_from_integer(load));
  return OP_CAPTURED | (uint32_t)capture << 8;
}

/* ---- Expressions ---- */

enum { OR = 1, AND, EQUALITY, ORDER, SUM, PRODUCT, UNARY, SUFFIX }; /* how tightly they bind */

struct rule {
  const char *sign;
  void (*statement)(void);
  void (*prefix)(void);
  void (*infix)(const struct rule *rule);
  int binds; /* as an infix */
  enum operation operation;
};
static const struct rule *rule_here(void);
static void function_literal(const char *self, bool is_init);

static void primary(void) {
  if (isdigit((unsigned char)*token)) {
    emit_constant(OP_CONSTANT, spgc_value_from_double(strtod(token, NULL)));
  } else if (*token == '"') {
    emit_constant(OP_CONSTANT, (spgc_value)intern(token + 1, length - 2));
  } else if (at("nil") || at("true") || at("false")) {
    emit_constant(OP_CONSTANT, *token == 'n' ? NIL : *token == 't' ? TRUE : FALSE);
  } else if (begins_name()) {
    emit_load(load_of(unit, intern(token, length)));
  } else {
    refuse("an expression is missing");
  }
  advance();
}

/* Takes operators that bind at least this tightly. */
static void expression(int binds) {
  const struct rule *rule = rule_here();
  if (rule->prefix) {
    advance();
    rule->prefix();
  } else {
    primary();
  }
  for (; (rule = rule_here())->binds >= binds;) {
    advance();
    rule->infix(rule);
  }
}

/* They become one value. Returns their number. */
static uint64_t expressions_until(const char *end) {
  uint64_t count = 0;
  int words = unit->words;
  for (; !take(end); count++) {
    if (count != 0)
      expect(",");
    if (count == 255)
      refuse("there are too many expressions");
    expression(OR);
  }
  unit->words = words;
  return count;
}

static void group(void) {
  expression(OR);
  expect(")");
}

static void not(void) {
  expression(UNARY);
  emit(OP_NOT, 0);
}

static void minus(void) {
  emit_constant(OP_CONSTANT, spgc_value_from_double(-0.0));
  expression(UNARY);
  emit(OP_SUBTRACT, 0);
}

static void lambda(void) {
  function_literal("", false);
}

static void list_literal(void) {
  emit(OP_LIST, expressions_until("]"));
}

static void binary(const struct rule *rule) {
  expression(rule->binds + 1);
  emit(rule->operation, 0);
}

static void logical(const struct rule *rule) {
  uint64_t past = emit(rule->operation, 0);
  expression(rule->binds + 1);
  land(past);
}

static void call(const struct rule *rule) {
  bool invokes = last() == OP_FIELD;
  uint64_t name = invokes ? retract() : 0, count = expressions_until(")");
  emit(invokes ? OP_INVOKE : rule->operation, name << 8 | count);
}

static void field(const struct rule *rule) {
  emit_constant(rule->operation, (spgc_value)take_name());
}

static void element(const struct rule *rule) {
  expression(OR);
  expect("]");
  emit(rule->operation, 0);
}

/* ---- Statements ---- */

static void statement(void) {
  const struct rule *rule = rule_here();
  if (rule->statement) {
    advance();
    rule->statement();
    return;
  }
  expression(SUFFIX);
  enum operation load = last();
  if (!take("=")) {
    emit(OP_POP, 0);
  } else if (load >= OP_LOCAL && load <= OP_ELEMENT) {
    uint32_t n = retract();
    expression(OR);
    emit(load + 1, n);
  } else {
    refuse("this cannot be assigned to");
  }
  expect(";");
}

static void statements(void) {
  while (!take("}")) {
    if (length == 0)
      refuse("'}' is missing");
    statement();
  }
}

/* After its brace. */
static void block(void) {
  uint64_t before = unit->variables->count;
  unit->blocks++;
  statements();
  while (unit->variables->count > before)
    emit(unit->captured[--unit->variables->count] ? OP_CLOSE : OP_POP, 0);
  unit->blocks--;
}

static void open(struct unit *opened, list *variables) {
  memset(opened, 0, sizeof *opened);
  opened->outer = unit;
  opened->variables = variables;
  opened->outermost = variables->count;
  opened->constants = list_make(0);
  opened->captures = list_make(0);
  opened->code = resize(NULL, MOST_CODE, sizeof *opened->code);
  unit = opened;
  grow_stack((int)variables->count);
}

static void return_self_or_nil(void) {
  if (unit->is_init)
    emit(OP_LOCAL, 0);
  else
    emit_constant(OP_CONSTANT, NIL);
  emit(OP_RETURN, 0);
}

static function *close(uint64_t arity) {
  return_self_or_nil();
  function *made = spgc_allocate(&function_type);
  made->constants = unit->constants->items;
  made->captures = (uint32_t)unit->captures->count;
  made->code = resize(unit->code, unit->size, sizeof *unit->code);
  made->arity = (uint32_t)arity;
  made->depth = (uint32_t)unit->most_words;
  unit = unit->outer;
  return made;
}

/* `self` is the name of the frame's first word. */
static void function_literal(const char *self, bool is_init) {
  struct unit inner;
  list *variables = list_make(0);
  list_push(variables, (spgc_value)intern(self, strlen(self)));
  open(&inner, variables);
  inner.is_init = is_init;
  for (expect("("); !take(")"); grow_stack(1)) {
    if (inner.variables->count > 1)
      expect(",");
    declare(take_name());
  }
  uint64_t arity = inner.variables->count - 1;
  expect("{");
  statements();
  emit_constant(OP_CLOSURE, (spgc_value)close(arity));
  int words = unit->words;
  for (uint64_t i = 0; i < inner.captures->count; i++)
    emit_load((uint32_t)spgc_value_integer(inner.captures->items->at[i]));
  unit->words = words;
  unit->label = unit->size;
}

static void let(void) {
  string *name = take_name();
  expect("=");
  expression(OR);
  expect(";");
  declare(name);
}

/* The variable is declared first, because the function may call itself. */
static void fun(void) {
  declare(take_name());
  lambda();
}

static void class_statement(void) {
  declare(take_name());
  emit(OP_CLASS, 0);
  for (expect("{"); !take("}");) {
    string *name = take_name();
    function_literal("self", name == vm.init);
    emit_constant(OP_METHOD, (spgc_value)name);
  }
}

static void if_statement(void) {
  expression(OR);
  uint64_t past = emit(OP_JUMP_IF_FALSE, 0);
  expect("{");
  block();
  if (take("else")) {
    uint64_t end = emit(OP_JUMP, 0);
    land(past);
    statement();
    past = end;
  }
  land(past);
}

static void while_statement(void) {
  uint64_t start = unit->size;
  expression(OR);
  uint64_t end = emit(OP_JUMP_IF_FALSE, 0);
  expect("{");
  block();
  emit(OP_JUMP, start - unit->size - 1);
  land(end);
}

static void return_statement(void) {
  if (take(";")) {
    return_self_or_nil();
  } else {
    expression(OR);
    emit(OP_RETURN, 0);
    expect(";");
  }
}

static void print(void) {
  expression(OR);
  emit(OP_PRINT, 0);
  expect(";");
}

/* ---- The table of words and signs ---- */

static const struct rule rules[] = {
    {"let", .statement = let},
    {"fun", .statement = fun, .prefix = lambda},
    {"class", .statement = class_statement},
    {"if", .statement = if_statement},
    {"while", .statement = while_statement},
    {"return", .statement = return_statement},
    {"print", .statement = print},
    {"{", .statement = block},
    {"!", .prefix = not},
    {"-", NULL, minus, binary, SUM, OP_SUBTRACT},
    {"(", NULL, group, call, SUFFIX, OP_CALL},
    {"[", NULL, list_literal, element, SUFFIX, OP_ELEMENT},
    {".", NULL, NULL, field, SUFFIX, OP_FIELD},
    {"*", NULL, NULL, binary, PRODUCT, OP_MULTIPLY},
    {"/", NULL, NULL, binary, PRODUCT, OP_DIVIDE},
    {"%", NULL, NULL, binary, PRODUCT, OP_REMAINDER},
    {"+", NULL, NULL, binary, SUM, OP_ADD},
    {"<", NULL, NULL, binary, ORDER, OP_LESS},
    {"<=", NULL, NULL, binary, ORDER, OP_LESS_OR_EQUAL},
    {">", NULL, NULL, binary, ORDER, OP_GREATER},
    {">=", NULL, NULL, binary, ORDER, OP_GREATER_OR_EQUAL},
    {"==", NULL, NULL, binary, EQUALITY, OP_EQUAL},
    {"!=", NULL, NULL, binary, EQUALITY, OP_NOT_EQUAL},
    {"and", NULL, NULL, logical, AND, OP_AND},
    {"or", NULL, NULL, logical, OR, OP_OR},
    {"", .binds = 0}, /* any other */
};

static const struct rule *rule_here(void) {
  const struct rule *rule = rules;
  while (*rule->sign != '\0' && !at(rule->sign))
    rule++;
  return rule;
}

function *compile(const char *source, list *variables) {
  struct unit program;
  uint64_t arity = variables->count - 1;
  token = source;
  line = 1;
  advance();
  open(&program, variables);
  while (length != 0)
    statement();
  return close(arity);
}
