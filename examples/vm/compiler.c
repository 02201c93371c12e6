/* The compiler: one pass from characters to instructions.
 *
 *   program    := { statement }
 *   statement  := "let" NAME "=" expression ";" | "fun" NAME function
 *               | "class" NAME "{" { NAME function } "}" | block
 *               | "if" expression block [ "else" ( statement ) ] | "while" expression block
 *               | "return" [ expression ] ";" | "print" expression ";"
 *               | expression [ "=" expression ] ";"
 *   function   := "(" [ NAME { "," NAME } ] ")" block
 *   block      := "{" { statement } "}"
 *   expression := operand { OPERATOR operand }
 *   operand    := ( "-" | "!" ) operand | primary { suffix }
 *   primary    := NUMBER | STRING | NAME | "nil" | "true" | "false" | "self" | "fun" function
 *               | "(" expression ")" | "[" [ expression { "," expression } ] "]"
 *   suffix     := "(" [ expression { "," expression } ] ")" | "." NAME | "[" expression "]"
 *
 * `#` begins a comment. Objects that instructions need are constants of their function.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vm.h"

/* ---- Tokens ---- */

struct word {
  const char *text;
  uint64_t length;
};

enum token { END, NUMBER, STRING, NAME, SIGN };

static struct {
  const char *at; /* after the token */
  int line;
  enum token token;
  struct word word;
} in;

static _Noreturn void refuse(const char *message) {
  fail("line %d: %s, at '%.*s'", in.line, message, (int)in.word.length, in.word.text);
}

static void skip(void) {
  for (;; in.at++) {
    if (*in.at == '#')
      in.at += strcspn(in.at, "\n");
    if (*in.at == '\n')
      in.line++;
    if (*in.at == '\0' || !isspace((unsigned char)*in.at))
      return;
  }
}

static uint64_t token_length(const char *at) {
  if (in.token == NAME)
    return strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  if (in.token == NUMBER)
    return strspn(at, "0123456789.");
  if (in.token == STRING)
    return strcspn(at + 1, "\"") + 2;
  return in.token == END ? 0 : 1 + (strchr("=!<>", *at) != NULL && at[1] == '=');
}

static void advance(void) {
  skip();
  unsigned char first = (unsigned char)*in.at;
  in.token = first == '\0'                    ? END
             : first == '"'                   ? STRING
             : isdigit(first)                 ? NUMBER
             : isalpha(first) || first == '_' ? NAME
                                              : SIGN;
  in.word = (struct word){in.at, token_length(in.at)};
  if (in.token == STRING && in.word.length > strlen(in.at))
    refuse("a string does not end");
  in.at += in.word.length;
}

static bool same(struct word a, struct word b) {
  return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static bool at(const char *text) {
  return in.token != STRING && same(in.word, (struct word){text, strlen(text)});
}

static bool take(const char *text) {
  bool taken = at(text);
  if (taken)
    advance();
  return taken;
}

static void expect(const char *text) {
  if (!take(text))
    fail("line %d: '%s' is missing before '%.*s'", in.line, text, (int)in.word.length,
         in.word.text);
}

static struct word take_name(void) {
  struct word name = in.word;
  if (in.token != NAME)
    refuse("a name is missing");
  advance();
  return name;
}

static string *to_string(struct word word) {
  return intern(word.text, word.length);
}

/* ---- The function that is being compiled ---- */

enum { MOST_VARIABLES = 200, MOST_CAPTURES = 200, MOST_CODE = 1 << 16 };

struct variable {
  struct word name;
  uint32_t slot; /* in its frame */
  int block;     /* how many blocks are around it */
  bool captured;
};

struct capture {
  bool from_frame; /* of the outer function; otherwise from its captures */
  uint8_t index;
};

struct unit {
  struct unit *outer;
  list *constants;
  uint8_t *code;
  uint32_t size;
  uint32_t words, most_words; /* of the frame: now, and at most */
  int blocks;
  uint32_t variables, captures;
  bool is_init;
  struct variable variable[MOST_VARIABLES];
  struct capture capture[MOST_CAPTURES];
};

static struct unit *unit;

static void emit_byte(uint32_t byte) {
  if (unit->size == MOST_CODE)
    refuse("a function is too long");
  unit->code[unit->size++] = (uint8_t)byte;
}

/* `effect`: on the stack's height. */
static void emit(enum operation operation, int effect) {
  emit_byte(operation);
  unit->words = (uint32_t)((int)unit->words + effect);
  if (unit->words > unit->most_words)
    unit->most_words = unit->words;
}

static void emit_wide(uint32_t number) {
  emit_byte(number >> 8);
  emit_byte(number & 255);
}

static void emit_with_byte(enum operation operation, int effect, uint32_t byte) {
  emit(operation, effect);
  emit_byte(byte);
}

static uint32_t constant(spgc_value value) {
  for (uint64_t i = 0; i < unit->constants->count; i++)
    if (unit->constants->items->at[i] == value)
      return (uint32_t)i;
  list_push(unit->constants, value);
  if (unit->constants->count == 1 << 16)
    refuse("a function has too many constants");
  return (uint32_t)unit->constants->count - 1;
}

static void emit_constant(enum operation operation, int effect, spgc_value value) {
  uint32_t number = constant(value);
  emit(operation, effect);
  emit_wide(number);
}

/* Returns the place of the distance, for `land`. */
static uint32_t emit_jump(enum operation operation, int effect) {
  emit(operation, effect);
  emit_wide(0);
  return unit->size - 2;
}

static void land(uint32_t from) {
  uint32_t distance = unit->size - from - 2;
  unit->code[from] = (uint8_t)(distance >> 8);
  unit->code[from + 1] = (uint8_t)distance;
}

static void emit_jump_back(uint32_t to) {
  emit(OP_JUMP_BACK, 0);
  emit_wide(unit->size + 2 - to);
}

/* ---- Variables ---- */

static struct {
  struct word name;
} globals[MOST_GLOBALS];

uint32_t global_of(const char *name, uint64_t length) {
  struct word word = {name, length};
  uint64_t count = vm.global_roots.count;
  for (uint32_t i = 0; i < count; i++)
    if (same(globals[i].name, word))
      return i;
  if (count == MOST_GLOBALS)
    refuse("there are too many global variables");
  globals[count].name = word;
  vm.globals[count] = UNDEFINED;
  vm.global_roots.count++;
  return (uint32_t)count;
}

static void declare(struct word name, uint32_t slot) {
  if (unit->variables == MOST_VARIABLES)
    refuse("a function has too many variables");
  unit->variable[unit->variables++] =
      (struct variable){.name = name, .slot = slot, .block = unit->blocks};
}

static struct variable *find_variable(struct unit *of, struct word name) {
  for (uint32_t i = of->variables; i-- > 0;)
    if (same(of->variable[i].name, name))
      return &of->variable[i];
  return NULL;
}

static int add_capture(struct unit *of, bool from_frame, uint32_t index) {
  for (uint32_t i = 0; i < of->captures; i++)
    if (of->capture[i].from_frame == from_frame && of->capture[i].index == index)
      return (int)i;
  if (of->captures == MOST_CAPTURES)
    refuse("a function captures too many variables");
  of->capture[of->captures] = (struct capture){from_frame, (uint8_t)index};
  return (int)of->captures++;
}

/* -1 if no outer function has the variable. */
static int find_capture(struct unit *of, struct word name) {
  if (!of->outer)
    return -1;
  struct variable *found = find_variable(of->outer, name);
  if (found) {
    found->captured = true;
    return add_capture(of, true, found->slot);
  }
  int outer = find_capture(of->outer, name);
  return outer < 0 ? -1 : add_capture(of, false, (uint32_t)outer);
}

/* ---- What may be on the left of `=` ---- */

struct place {
  enum { ON_STACK, IN_FRAME, IN_CELL, IN_GLOBAL, IN_FIELD, IN_LIST } kind;
  uint32_t index; /* a slot, a captured variable, a global one, or the constant with the name */
};

static struct place place_of(struct word name) {
  struct variable *found = find_variable(unit, name);
  if (found)
    return (struct place){IN_FRAME, found->slot};
  int captured = find_capture(unit, name);
  if (captured >= 0)
    return (struct place){IN_CELL, (uint32_t)captured};
  return (struct place){IN_GLOBAL, global_of(name.text, name.length)};
}

static void load(struct place place) {
  switch (place.kind) {
  case ON_STACK: break;
  case IN_FRAME: emit_with_byte(OP_LOCAL, 1, place.index); break;
  case IN_CELL: emit_with_byte(OP_CAPTURED, 1, place.index); break;
  case IN_GLOBAL: emit(OP_GLOBAL, 1), emit_wide(place.index); break;
  case IN_FIELD: emit(OP_FIELD, 0), emit_wide(place.index); break;
  case IN_LIST: emit(OP_ELEMENT, -1); break;
  }
}

static void store(struct place place) {
  switch (place.kind) {
  case ON_STACK: refuse("this cannot be assigned to");
  case IN_FRAME: emit_with_byte(OP_SET_LOCAL, -1, place.index); break;
  case IN_CELL: emit_with_byte(OP_SET_CAPTURED, -1, place.index); break;
  case IN_GLOBAL: emit(OP_SET_GLOBAL, -1), emit_wide(place.index); break;
  case IN_FIELD: emit(OP_SET_FIELD, -2), emit_wide(place.index); break;
  case IN_LIST: emit(OP_SET_ELEMENT, -3); break;
  }
}

/* ---- Expressions ---- */

static void expression(void);
static void function_literal(struct word name, bool is_method);

static uint32_t expressions_until(const char *end) {
  uint32_t count = 0;
  while (!take(end)) {
    if (count != 0)
      expect(",");
    expression();
    if (++count == 256)
      refuse("there are too many expressions");
  }
  return count;
}

static struct place literal(void) {
  const struct word word = in.word;
  if (in.token == NUMBER)
    emit_constant(OP_CONSTANT, 1, spgc_value_from_double(strtod(word.text, NULL)));
  else if (in.token == STRING)
    emit_constant(OP_CONSTANT, 1,
                  (spgc_value)to_string((struct word){word.text + 1, word.length - 2}));
  else if (at("nil"))
    emit(OP_NOTHING, 1);
  else if (at("true"))
    emit(OP_TRUTH, 1);
  else if (at("false"))
    emit(OP_FALSITY, 1);
  else if (in.token != NAME)
    refuse("an expression is missing");
  else
    return advance(), place_of(word);
  advance();
  return (struct place){ON_STACK, 0};
}

static struct place primary(void) {
  if (take("(")) {
    expression();
    expect(")");
  } else if (take("[")) {
    uint32_t count = expressions_until("]");
    emit_with_byte(OP_LIST, 1 - (int)count, count);
  } else if (take("fun")) {
    function_literal((struct word){"literal", 7}, false);
  } else {
    return literal();
  }
  return (struct place){ON_STACK, 0};
}

static struct place call_of(struct place callee) {
  bool invokes = callee.kind == IN_FIELD;
  if (!invokes)
    load(callee);
  uint32_t count = expressions_until(")");
  emit(invokes ? OP_INVOKE : OP_CALL, -(int)count);
  if (invokes)
    emit_wide(callee.index);
  emit_byte(count);
  return (struct place){ON_STACK, 0};
}

static struct place postfix(void) {
  struct place place = primary();
  for (;;) {
    if (take("(")) {
      place = call_of(place);
    } else if (take(".")) {
      load(place);
      place = (struct place){IN_FIELD, constant((spgc_value)to_string(take_name()))};
    } else if (take("[")) {
      load(place);
      expression();
      expect("]");
      place = (struct place){IN_LIST, 0};
    } else {
      return place;
    }
  }
}

static void operand(void) {
  if (take("-")) {
    operand();
    emit(OP_NEGATE, 0);
  } else if (take("!")) {
    operand();
    emit(OP_NOT, 0);
  } else {
    load(postfix());
  }
}

static const struct {
  const char *sign;
  int binds;
  enum operation operation;
} operators[] = {{"or", 1, OP_OR},      {"and", 2, OP_AND},
                 {"==", 3, OP_EQUAL},   {"!=", 3, OP_NOT_EQUAL},
                 {"<", 4, OP_LESS},     {"<=", 4, OP_LESS_OR_EQUAL},
                 {">", 4, OP_GREATER},  {">=", 4, OP_GREATER_OR_EQUAL},
                 {"+", 5, OP_ADD},      {"-", 5, OP_SUBTRACT},
                 {"*", 6, OP_MULTIPLY}, {"/", 6, OP_DIVIDE},
                 {"%", 6, OP_REMAINDER}};
enum { OPERATORS = sizeof operators / sizeof *operators };

static int operator_here(void) {
  for (int i = 0; i < OPERATORS; i++)
    if (at(operators[i].sign))
      return i;
  return -1;
}

static void binary(int binds) {
  operand();
  for (int i; (i = operator_here()) >= 0 && operators[i].binds >= binds;) {
    enum operation operation = operators[i].operation;
    bool jumps = operation == OP_AND || operation == OP_OR;
    uint32_t past = 0;
    advance();
    if (jumps)
      past = emit_jump(operation, -1);
    binary(operators[i].binds + 1);
    if (jumps)
      land(past);
    else
      emit(operation, -1);
  }
}

static void expression(void) {
  binary(1);
}

/* ---- Statements ---- */

static void statement(void);

static void leave_block(void) {
  while (unit->variables > 0 && unit->variable[unit->variables - 1].block == unit->blocks) {
    unit->variables--;
    emit(unit->variable[unit->variables].captured ? OP_CLOSE : OP_POP, -1);
  }
  unit->blocks--;
}

static void statements(void) {
  while (!take("}")) {
    if (in.token == END)
      refuse("'}' is missing");
    statement();
  }
}

static void block(void) {
  expect("{");
  unit->blocks++;
  statements();
  leave_block();
}

static void emit_return_of_nothing(void) {
  if (unit->is_init)
    emit_with_byte(OP_LOCAL, 1, 0);
  else
    emit(OP_NOTHING, 1);
  emit(OP_RETURN, -1);
}

static function *finish(string *name, uint32_t arity) {
  emit_return_of_nothing();
  values *constants = unit->constants->items;
  function *made = function_make(name, constants, realloc(unit->code, unit->size));
  made->arity = arity;
  made->depth = unit->most_words;
  return made;
}

static void begin(struct unit *begun, bool is_init) {
  memset(begun, 0, sizeof *begun);
  begun->outer = unit;
  begun->code = malloc(MOST_CODE);
  if (!begun->code)
    fail("out of memory");
  begun->words = begun->most_words = 1;
  begun->is_init = is_init;
  begun->constants = list_make(0);
  unit = begun;
}

static uint32_t parameters(void) {
  uint32_t arity = 0;
  for (expect("("); !take(")"); arity++) {
    if (arity != 0)
      expect(",");
    declare(take_name(), ++unit->words - 1);
  }
  if (unit->words > unit->most_words)
    unit->most_words = unit->words;
  return arity;
}

static void function_literal(struct word name, bool is_method) {
  struct unit inner;
  begin(&inner, is_method && same(name, (struct word){"init", 4}));
  if (is_method)
    declare((struct word){"self", 4}, 0);
  uint32_t arity = parameters();
  expect("{");
  statements();
  function *made = finish(to_string(name), arity);
  unit = inner.outer;
  emit_constant(OP_CLOSURE, 1, (spgc_value)made);
  emit_byte(inner.captures);
  for (uint32_t i = 0; i < inner.captures; i++) {
    emit_byte(inner.capture[i].from_frame);
    emit_byte(inner.capture[i].index);
  }
}

/* A variable in a block is the stack's word that has its value. */
static void define(struct word name) {
  if (unit->outer || unit->blocks > 0)
    declare(name, unit->words - 1);
  else
    store((struct place){IN_GLOBAL, global_of(name.text, name.length)});
}

static void let(void) {
  struct word name = take_name();
  expect("=");
  expression();
  expect(";");
  define(name);
}

/* The variable of a function in a block is declared first, because the function may call itself. */
static void fun(void) {
  struct word name = take_name();
  bool is_global = !unit->outer && unit->blocks == 0;
  if (!is_global) {
    emit(OP_NOTHING, 1);
    define(name);
  }
  function_literal(name, false);
  store(place_of(name));
}

static void class_statement(void) {
  struct word name = take_name();
  emit_constant(OP_CLASS, 1, (spgc_value)to_string(name));
  for (expect("{"); !take("}");) {
    struct word method = take_name();
    function_literal(method, true);
    emit_constant(OP_METHOD, -1, (spgc_value)to_string(method));
  }
  define(name);
}

static void if_statement(void) {
  expression();
  uint32_t past = emit_jump(OP_JUMP_IF_FALSE, -1);
  block();
  if (take("else")) {
    uint32_t end = emit_jump(OP_JUMP, 0);
    land(past);
    statement();
    past = end;
  }
  land(past);
}

static void while_statement(void) {
  uint32_t begin = unit->size;
  expression();
  uint32_t end = emit_jump(OP_JUMP_IF_FALSE, -1);
  block();
  emit_jump_back(begin);
  land(end);
}

static void return_statement(void) {
  if (take(";")) {
    emit_return_of_nothing();
    return;
  }
  expression();
  expect(";");
  emit(OP_RETURN, -1);
}

static void print_statement(void) {
  expression();
  expect(";");
  emit(OP_PRINT, -1);
}

static void expression_or_assignment(void) {
  struct place place = postfix();
  if (take("=")) {
    expression();
    store(place);
  } else {
    load(place);
    emit(OP_POP, -1);
  }
  expect(";");
}

static void statement(void) {
  static const struct {
    const char *word;
    void (*compile)(void);
  } kinds[] = {{"let", let},
               {"fun", fun},
               {"class", class_statement},
               {"if", if_statement},
               {"while", while_statement},
               {"return", return_statement},
               {"print", print_statement}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (take(kinds[i].word)) {
      kinds[i].compile();
      return;
    }
  if (at("{"))
    block();
  else
    expression_or_assignment();
}

function *compile(const char *source) {
  struct unit program;
  in.at = source;
  in.line = 1;
  advance();
  begin(&program, false);
  while (in.token != END)
    statement();
  function *made = finish(intern("program", 7), 0);
  unit = NULL;
  return made;
}
