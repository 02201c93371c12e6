/* refused: a word that is declared as a reference is read or written as a number */
/* Tagged values that functions load, store, set and copy by ordinary pointers. */
#include "spgc/managed.h"

#define NOINLINE __attribute__((noinline))
#define INLINED static inline __attribute__((always_inline))

struct node;
typedef struct node SPGC_MANAGED *node;

struct value {
  long tag;
  union {
    node ref;
    double real;
    long number;
  };
};

enum { NUMBER, REFERENCE, REAL };

struct node {
  const struct spgc_type *type;
  struct value value;
  long number;
};

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, value.ref));

static NOINLINE node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

static NOINLINE node make_value(long number) {
  node inner = make(number), made = make(-1);
  made->value = (struct value){REFERENCE, {.ref = inner}};
  return made;
}

static NOINLINE long number_in(node from) {
  make(5);
  return from->value.tag == REFERENCE ? from->value.ref->number
         : from->value.tag == REAL    ? (long)from->value.real
                                      : from->value.number;
}

INLINED void inlined_set_real(struct value *to, double real) {
  to->tag = REAL;
  to->real = real; /* at: 'value' */
}

INLINED void inlined_load(struct value *to, node from) {
  *to = from->value;
}

INLINED void inlined_save(node to, const struct value *from) {
  to->value = *from;
}

static NOINLINE long by_inlined(node from, node to, long n) {
  struct value value;
  if (n & 1)
    inlined_load(&value, from);
  else
    inlined_set_real(&value, (double)n);
  node other = make(3);
  inlined_save(to, &value);
  return other->number - 3 + number_in(to);
}

static void set_real(struct value *to, double real) {
  to->tag = REAL;
  to->real = real;
}

static void set_number(struct value *to, long number) {
  to->tag = NUMBER;
  to->number = number;
}

static void load(struct value *to, node from) {
  *to = from->value;
}

static void save(node to, const struct value *from) {
  to->value = *from;
}

static NOINLINE long by_functions(node from, node to, long n) {
  struct value value;
  if (n & 1)
    load(&value, from);
  else
    set_real(&value, (double)n);
  node other = make(3);
  save(to, &value);
  return other->number - 3 + number_in(to);
}

static NOINLINE void called_set_real(struct value *to, double real) {
  set_real(to, real);
}

static NOINLINE void called_load(struct value *to, node from) {
  load(to, from);
}

static NOINLINE void called_save(node to, const struct value *from) {
  save(to, from);
}

static NOINLINE long by_calls(node from, node to, long n) {
  struct value value;
  if (n & 1)
    called_load(&value, from);
  else
    called_set_real(&value, (double)n);
  node other = make(3);
  called_save(to, &value);
  return other->number - 3 + number_in(to);
}

static struct value first, second;

static void copy(struct value *to, const struct value *from) {
  *to = *from;
}

static NOINLINE long between_globals(long n) {
  struct value value;
  if (n & 1)
    copy(&value, &first);
  else
    set_number(&value, n);
  node other = make(3);
  copy(&second, &value);
  return other->number - 3;
}

static NOINLINE long in_globals(long n) {
  first = (struct value){REFERENCE, {.ref = make(n)}};
  long sum = between_globals(n);
  make(5);
  return sum + (second.tag == REFERENCE ? second.ref->number : second.number);
}

long managed_run(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    node from = make_value(i);
    sum += by_inlined(from, make(2), i) + by_functions(from, make(2), i);
    sum += by_calls(from, make(2), i) + in_globals(i);
  }
  return sum;
}
