/* An interpreter whose values are words with tags, in managed C.
 *
 *   ...xxx1   an integer of 63 bits
 *   ...x010   a primitive function, with its number above
 *   0         the empty list, and false
 *   ...x000   the address of an object: a pair, a symbol or a closure
 *
 * The collector ignores words with a low bit set, so a variable, a field or an argument may hold
 * any of these.
 *
 *   lisp FILE SIZE       evaluates the expressions of the file; the variable `size` is SIZE */
#include "spgc/managed.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spgc/heap.h"
#include "spgc/main.h"

typedef struct object SPGC_MANAGED *value;

struct object {
  const struct spgc_type *type;
};

struct pair {
  const struct spgc_type *type;
  value first, rest;
};

struct closure {
  const struct spgc_type *type;
  value parameters, body, environment;
};

struct symbol {
  const struct spgc_type *type;
  uint64_t length;
  value bound; /* the global variable's, or `unbound` */
  char name[];
};

static const struct spgc_type pair_type =
    SPGC_OBJECT_TYPE(struct pair, SPGC_OFFSET(struct pair, first), SPGC_OFFSET(struct pair, rest));
static const struct spgc_type closure_type =
    SPGC_OBJECT_TYPE(struct closure, SPGC_OFFSET(struct closure, parameters),
                     SPGC_OFFSET(struct closure, body), SPGC_OFFSET(struct closure, environment));
/* A fixed part with a reference, and a tail without. */
static const uint32_t symbol_references[] = {SPGC_OFFSET(struct symbol, bound)};
static const struct spgc_type symbol_type = {.size = SPGC_OFFSET(struct symbol, name),
                                             .element_size = 1,
                                             .flags = SPGC_TYPE_TAIL,
                                             .reference_count = 1,
                                             .reference_offsets = symbol_references,
                                             .name = "symbol"};

static value symbols; /* a list of all; a root */
static value symbol_quote, symbol_if, symbol_lambda, symbol_define, symbol_t;

__attribute__((noreturn)) static void fail(const char *message) {
  fprintf(stderr, "lisp: %s\n", message);
  exit(EXIT_FAILURE);
}

/* ---- Words ---- */

static value word(uint64_t bits) {
  return (value)bits;
}

static value integer(int64_t number) {
  return word((uint64_t)number << 1 | 1);
}

static bool is_integer(value any) {
  return (uintptr_t)any & 1;
}

static int64_t number_of(value any) {
  if (!is_integer(any))
    fail("not a number");
  return (int64_t)(uintptr_t)any >> 1;
}

static value primitive(uint64_t number) {
  return word(number << 3 | 2);
}

static bool is_primitive(value any) {
  return ((uintptr_t)any & 7) == 2;
}

static bool is_object(value any, const struct spgc_type *type) {
  return any && ((uintptr_t)any & 7) == 0 && any->type == type;
}

#define UNBOUND word(6)

/* ---- Objects ---- */

static value cons(value first, value rest) {
  struct pair SPGC_MANAGED *made = spgc_allocate(&pair_type);
  made->first = first;
  made->rest = rest;
  return (value)made;
}

static struct pair SPGC_MANAGED *pair_of(value any) {
  if (!is_object(any, &pair_type))
    fail("not a pair");
  return (struct pair SPGC_MANAGED *)any;
}

static value first(value any) {
  return pair_of(any)->first;
}

static value rest(value any) {
  return pair_of(any)->rest;
}

static struct symbol SPGC_MANAGED *symbol_of(value any) {
  if (!is_object(any, &symbol_type))
    fail("not a symbol");
  return (struct symbol SPGC_MANAGED *)any;
}

static bool is_named(value any, const char *name, uint64_t length) {
  struct symbol SPGC_MANAGED *symbol = symbol_of(any);
  if (symbol->length != length)
    return false;
  for (uint64_t i = 0; i < length; i++)
    if (symbol->name[i] != name[i])
      return false;
  return true;
}

static value intern(const char *name, uint64_t length) {
  for (value at = symbols; at; at = rest(at))
    if (is_named(first(at), name, length))
      return first(at);
  struct symbol SPGC_MANAGED *made = spgc_allocate_array(&symbol_type, length);
  made->bound = UNBOUND;
  for (uint64_t i = 0; i < length; i++)
    made->name[i] = name[i];
  symbols = cons((value)made, symbols);
  return (value)made;
}

/* ---- Reader: expression := number | name | ( { expression } ) ---- */

static const char *source;

static void skip(void) {
  while (isspace((unsigned char)*source) || *source == ';')
    source += *source == ';' ? strcspn(source, "\n") : 1;
}

static value read_expression(void);

static value read_list(void) {
  skip();
  if (*source == ')') {
    source++;
    return NULL;
  }
  value head = read_expression();
  return cons(head, read_list());
}

static value read_expression(void) {
  skip();
  if (*source == '(') {
    source++;
    return read_list();
  }
  if (isdigit((unsigned char)*source) || (*source == '-' && isdigit((unsigned char)source[1])))
    return integer(strtoll(source, (char **)&source, 10));
  const char *name = source;
  source += strcspn(source, " \t\n();");
  if (source == name)
    fail("an expression is missing");
  return intern(name, (uint64_t)(source - name));
}

/* ---- Evaluation ---- */

static const char *const primitives[] = {"+", "-", "*", "<", "=", "cons", "car", "cdr", "null"};

static value truth(bool is_true) {
  return is_true ? symbol_t : NULL;
}

static value call_primitive(uint64_t number, value arguments) {
  value a = first(arguments), b = rest(arguments) ? first(rest(arguments)) : NULL;
  switch (number) {
  case 0: return integer(number_of(a) + number_of(b));
  case 1: return integer(number_of(a) - number_of(b));
  case 2: return integer(number_of(a) * number_of(b));
  case 3: return truth(number_of(a) < number_of(b));
  case 4: return truth(a == b);
  case 5: return cons(a, b);
  case 6: return first(a);
  case 7: return rest(a);
  default: return truth(!a);
  }
}

static value variable(value name, value environment) {
  for (; environment; environment = rest(environment))
    if (first(first(environment)) == name)
      return rest(first(environment));
  value bound = symbol_of(name)->bound;
  if (bound == UNBOUND)
    fail("a variable has no value");
  return bound;
}

static value evaluate(value expression, value environment);

static value evaluate_all(value expressions, value environment) {
  if (!expressions)
    return NULL;
  value head = evaluate(first(expressions), environment);
  return cons(head, evaluate_all(rest(expressions), environment));
}

static value bind(value parameters, value arguments, value environment) {
  for (; parameters; parameters = rest(parameters), arguments = rest(arguments))
    environment = cons(cons(first(parameters), first(arguments)), environment);
  return environment;
}

static value define(value operands, value environment) {
  value defined = evaluate(first(rest(operands)), environment);
  symbol_of(first(operands))->bound = defined;
  return NULL;
}

static value make_closure(value operands, value environment) {
  struct closure SPGC_MANAGED *made = spgc_allocate(&closure_type);
  made->parameters = first(operands);
  made->body = first(rest(operands));
  made->environment = environment;
  return (value)made;
}

/* A tail call repeats the loop, so loops of the language need no stack. */
static value evaluate(value expression, value environment) {
  for (;;) {
    if (is_object(expression, &symbol_type))
      return variable(expression, environment);
    if (!is_object(expression, &pair_type))
      return expression;
    value head = first(expression), operands = rest(expression);
    if (head == symbol_quote)
      return first(operands);
    if (head == symbol_define)
      return define(operands, environment);
    if (head == symbol_lambda)
      return make_closure(operands, environment);
    if (head == symbol_if) {
      bool chosen = evaluate(first(operands), environment) != NULL;
      expression = chosen ? first(rest(operands)) : first(rest(rest(operands)));
      continue;
    }
    value function = evaluate(head, environment);
    value arguments = evaluate_all(operands, environment);
    if (is_primitive(function))
      return call_primitive((uintptr_t)function >> 3, arguments);
    if (!is_object(function, &closure_type))
      fail("not a function");
    struct closure SPGC_MANAGED *closure = (struct closure SPGC_MANAGED *)function;
    environment = bind(closure->parameters, arguments, closure->environment);
    expression = closure->body;
  }
}

static void print(value any) {
  if (is_integer(any))
    printf("%" PRId64, number_of(any));
  else if (is_object(any, &symbol_type))
    for (uint64_t i = 0; i < symbol_of(any)->length; i++)
      putchar(symbol_of(any)->name[i]);
  else if (!any || is_object(any, &pair_type)) {
    putchar('(');
    for (value at = any; at; at = rest(at)) {
      print(first(at));
      if (rest(at))
        putchar(' ');
    }
    putchar(')');
  } else
    printf("a function");
}

/* ---- The program ---- */

static value named(const char *name) {
  return intern(name, strlen(name));
}

static void run(void *size) {
  symbol_quote = named("quote");
  symbol_if = named("if");
  symbol_lambda = named("lambda");
  symbol_define = named("define");
  symbol_t = named("t");
  symbol_of(symbol_t)->bound = symbol_t;
  value sized = named("size");
  symbol_of(sized)->bound = integer(strtoll(size, NULL, 10));
  for (uint64_t i = 0; i < sizeof primitives / sizeof *primitives; i++) {
    value name = named(primitives[i]);
    symbol_of(name)->bound = primitive(i);
  }
  for (skip(); *source; skip()) {
    value result = evaluate(read_expression(), NULL);
    if (result) {
      print(result);
      putchar('\n');
    }
  }
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  if (statistics.collections == 0)
    fail("nothing was collected");
}

static char *contents(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = calloc(1, 1 << 16);
  if (!file || !text || fread(text, 1, (1 << 16) - 1, file) == 0)
    fail("cannot read the program");
  fclose(file);
  return text;
}

int main(int argc, char **argv) {
  struct spgc_error error;
  if (argc != 3)
    fail("usage: lisp FILE SIZE");
  source = contents(argv[1]);
  if (spgc_main(NULL, run, argv[2], &error) != SPGC_OK)
    fail(error.message);
}
