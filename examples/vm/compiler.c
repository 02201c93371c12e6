/* One pass from characters to instructions.
 *
 *   program    := { statement }
 *   statement  := "let" NAME "=" expression ";" | "print" expression ";" | "return" expression ";"
 *               | expression [ "=" expression ] ";" | "while" expression block | if
 *               | "fun" NAME function | "class" NAME "{" { NAME function } "}"
 *   if         := "if" expression block [ "else" ( if | block ) ]
 *   function   := "(" [ NAME { "," NAME } ] ")" block
 *   block      := "{" { statement } "}"
 *   expression := prefix { OPERATOR expression | "." NAME | "(" [ expressions ] ")" }
 *   prefix     := NUMBER | STRING | NAME | "nil" | "true" | "false" | "(" expression ")"
 *               | "!" expression
 *
 * `#` begins a comment. `self` is a method's object, and its result if it ends without a return. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tarn.h"

enum { MOST_VARIABLES = 256, MOST_NESTING = 100 };

/* The token: empty at the end. */
static const char *token;
static int length;
static uint16_t line = 1;
static int nesting; /* of blocks and expressions */

/* The variables of the functions being compiled, the innermost function's last. Global ones come
 * first. */
static string *variables[MOST_VARIABLES];
static int variable_count, global_count;

struct function functions[MOST_FUNCTIONS];
static int function_count, constant_count;
static struct function *unit; /* that is being compiled */

/* ---- Tokens ---- */

static void require(bool is_right, const char *otherwise) {
  if (!is_right)
    fail(line, otherwise, length, token);
}

static void advance(void) {
  for (token += length; isspace((unsigned char)*token) || *token == '#'; token++) {
    line += *token == '\n';
    token += *token == '#' ? strcspn(token, "\n") - 1 : 0;
  }
  length = *token == '\0' ? 0 : 1 + (strchr("=!<>", *token) && token[1] == '=');
  if (isalpha((unsigned char)*token))
    length = (int)strspn(token, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  else if (isdigit((unsigned char)*token))
    length = (int)strspn(token, "0123456789.");
  else if (*token == '"')
    length = (int)strcspn(token + 1, "\"\n") + 2;
  require(*token != '"' || token[length - 1] == '"', "a string does not end");
}

static bool at(const char *text) {
  return strncmp(token, text, (size_t)length) == 0 && text[length] == '\0';
}

static bool take(const char *text) {
  bool is_taken = at(text);
  if (is_taken)
    advance();
  return is_taken;
}

static void expect(const char *text) {
  if (!take(text))
    fail(line, "missing here", -1, text);
}

static string *take_name(void) {
  require(isalpha((unsigned char)*token), "a name is missing");
  string *name = intern(token, (uint64_t)length);
  advance();
  return name;
}

/* ---- Instructions and variables ---- */

/* How tightly operators bind. Only a whole statement may be an assignment. */
enum { NOTHING, STATEMENT, OR, AND, EQUALITY, ORDER, SUM, PRODUCT, UNARY, SUFFIX };

#define ROW(name, ...) PART(__VA_ARGS__, "", NOTHING, )
#define PART(effect, sign, binds, ...) {effect, sign, binds},
static const struct {
  int effect;
  const char *sign;
  int binds;
} operators[OPERATION_COUNT + 1] = {OPERATIONS(ROW)};

/* Returns its index. */
static int emit(enum operation operation, int n) {
  if ((unit->size & (unit->size - 1)) == 0) /* the array is full */
    unit->code = resize(unit->code, 2 * (uint64_t)unit->size + 1, sizeof *unit->code);
  unit->code[unit->size] = (struct instruction){(uint8_t)operation, .line = line, .n = n};
  unit->words_here += operators[operation].effect;
  if (unit->words < unit->words_here)
    unit->words = unit->words_here;
  return unit->size++;
}

/* Lets the instruction jump to the next one. */
static void land(int jump) {
  unit->code[jump].n = unit->size - jump - 1;
}

static int constant(spgc_value value) {
  int i = 0;
  while (i < constant_count && vm.stack[i] != value)
    i++;
  require(i < MOST_CONSTANTS, "there are too many constants");
  vm.stack[i] = value;
  constant_count += i == constant_count;
  return i;
}

/* Its index, less that of the function's first variable, is that of its word in the frame. */
static void declare(string *name) {
  require(variable_count < MOST_VARIABLES, "there are too many variables");
  variables[variable_count++] = name;
  if (!unit->outer && nesting == 0)
    global_count = variable_count;
}

/* Loads the variable in the function whose variables end here. */
static struct instruction load_of(string *name, struct function *in, int end) {
  int i = end - 1, first = in->first_variable;
  while (i >= first && variables[i] != name)
    i--;
  if (i >= first)
    return i < global_count ? (struct instruction){OP_GLOBAL, .n = MOST_CONSTANTS + i}
                            : (struct instruction){OP_LOCAL, .n = i - first};
  if (!in->outer)
    fail(line, "there is no such variable", -1, TEXT(name));
  struct instruction load = load_of(name, in->outer, first);
  if (load.operation == OP_GLOBAL)
    return load;
  for (i = 0; i < in->capture_count && memcmp(&in->captures[i], &load, sizeof load) != 0;)
    i++;
  require(i < MOST_CAPTURES, "a function captures too many variables");
  in->captures[i] = load;
  in->capture_count += i == in->capture_count;
  return (struct instruction){OP_CAPTURED, .n = i};
}

/* ---- Expressions ---- */

static void expression(int binds);

static void load_or_store(enum operation load, int n, int binds) {
  bool is_store = binds == STATEMENT && take("=");
  if (is_store)
    expression(OR);
  emit(load + is_store, n);
}

static void call(enum operation operation, int n) {
  int count = 0;
  for (; !take(")"); count++) {
    if (count != 0)
      expect(",");
    expression(OR);
  }
  require(count <= UINT8_MAX, "there are too many arguments");
  emit(operation, n);
  unit->code[unit->size - 1].arguments = (uint8_t)count;
  unit->words_here -= count;
}

static void prefix(int binds) {
  char *end = (char *)token + length;
  if (take("(")) {
    expression(OR);
    expect(")");
  } else if (take("!")) {
    expression(UNARY);
    emit(OP_NOT, 0);
  } else if (at("nil") || at("true") || at("false")) {
    emit(OP_GLOBAL, constant(*token == 'n' ? NIL : *token == 't' ? TRUE : FALSE));
    advance();
  } else if (isalpha((unsigned char)*token)) {
    bool is_self = at("self");
    struct instruction load = load_of(take_name(), unit, variable_count);
    require(!is_self || !at("="), "self cannot be assigned to");
    load_or_store(load.operation, load.n, binds);
  } else if (*token == '"') {
    emit(OP_GLOBAL, constant((spgc_value)intern(token + 1, (uint64_t)length - 2)));
    advance();
  } else {
    require(isdigit((unsigned char)*token), "an expression is missing");
    emit(OP_GLOBAL, constant(NUMBER(strtod(token, &end))));
    require(end == token + length, "a number is wrong");
    advance();
  }
}

static void infix(enum operation operation, int binds) {
  if (operation == OP_CALL) {
    call(OP_CALL, 0);
  } else if (operation == OP_FIELD) {
    int name = constant((spgc_value)take_name());
    if (take("("))
      call(OP_INVOKE, name);
    else
      load_or_store(OP_FIELD, name, binds);
  } else if (operation == OP_AND || operation == OP_OR) {
    int jump = emit(operation, 0);
    expression(operators[operation].binds + 1);
    land(jump);
  } else {
    expression(operators[operation].binds + 1);
    emit(operation, 0);
  }
}

/* Takes operators that bind at least this tightly. */
static void expression(int binds) {
  require(nesting++ < MOST_NESTING, "the nesting is too deep");
  prefix(binds);
  for (;;) {
    enum operation operation = 0;
    while (operation < OPERATION_COUNT && !at(operators[operation].sign))
      operation++;
    if (operators[operation].binds < binds)
      break;
    advance();
    infix(operation, binds);
  }
  nesting--;
}

/* ---- Statements ---- */

static void statement(void);

static void block(void) {
  int before = variable_count;
  require(nesting++ < MOST_NESTING, "the nesting is too deep");
  for (expect("{"); !take("}"); statement())
    require(length != 0, "'}' is missing");
  if (variable_count > before)
    emit(OP_END_BLOCK, variable_count - before);
  unit->words_here -= variable_count - before;
  variable_count = before;
  nesting--;
}

/* Returns the function's index. Methods, which have a `self`, return it at their end. */
static int function_of(const char *self) {
  require(function_count < MOST_FUNCTIONS, "there are too many functions");
  int index = function_count++;
  functions[index] = (struct function){.outer = unit, .first_variable = variable_count};
  unit = &functions[index];
  declare(intern(self, strlen(self)));
  if (!unit->outer)
    declare(intern("size", 4));
  else
    for (expect("("); !take(")"); declare(take_name()))
      if (variable_count > unit->first_variable + 1)
        expect(",");
  unit->words_here = variable_count - unit->first_variable;
  unit->arity = unit->words_here - 1;
  if (unit->outer)
    block();
  while (!unit->outer && length != 0)
    statement();
  emit(*self ? OP_LOCAL : OP_GLOBAL, *self ? 0 : constant(NIL));
  emit(OP_RETURN, 0);
  variable_count = unit->first_variable;
  unit = unit->outer;
  return index;
}

static void if_or_while(bool is_loop) {
  int start = unit->size;
  expression(OR);
  int past = emit(OP_JUMP_IF_FALSE, 0);
  block();
  if (is_loop) {
    emit(OP_JUMP, start - unit->size - 1);
  } else if (take("else")) {
    int end = emit(OP_JUMP, 0);
    land(past);
    past = end;
    if (take("if"))
      if_or_while(false);
    else
      block();
  }
  land(past);
}

static void statement(void) {
  if (take("if")) {
    if_or_while(false);
  } else if (take("while")) {
    if_or_while(true);
  } else if (take("fun")) {
    declare(take_name()); /* first, because the function may call itself */
    emit(OP_CLOSURE, function_of(""));
  } else if (take("class")) {
    declare(take_name());
    emit(OP_CLASS, 0);
    for (expect("{"); !take("}");) {
      int name = constant((spgc_value)take_name());
      emit(OP_CLOSURE, function_of("self"));
      emit(OP_METHOD, name);
    }
  } else if (take("let")) {
    string *name = take_name();
    expect("=");
    expression(OR);
    expect(";");
    declare(name);
  } else {
    enum operation use = take("print") ? OP_PRINT : take("return") ? OP_RETURN : OP_POP;
    int before = unit->words_here;
    expression(use == OP_POP ? STATEMENT : OR);
    if (unit->words_here > before) /* an assignment leaves no value */
      emit(use, 0);
    expect(";");
  }
}

void compile(const char *source) {
  token = source;
  advance();
  function_of("");
}
