/* refused: a word that is declared as a reference is read or written as a number, and */
/* Words in globals and variables, accessed through ordinary pointers by functions inlined, not
 * inlined, and leaves. */
#include "spgc/managed.h"

#include <string.h>

#define NOINLINE __attribute__((noinline))

struct node;
typedef struct node SPGC_MANAGED *node;

typedef union {
  node ref;
  uint64_t bits;
  double real;
} word;

struct node {
  const struct spgc_type *type;
  word word, spare;
  long number;
};

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, word), SPGC_OFFSET(struct node, spare));

static word global, other_global;
static node last;

static NOINLINE node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

static NOINLINE long sum_of(node b, node c) {
  node other = make(3);
  return b->word.ref->number + c->word.ref->number + other->number - 3;
}

static uint64_t bits_of(const word *from) {
  return from->bits;
}

static NOINLINE uint64_t called_bits_of(const word *from) {
  return from->bits;
}

SPGC_LEAF static uint64_t leaf_bits_of(const word *from) {
  return from->bits;
}

static NOINLINE long by_getter(void) {
  node b = spgc_allocate(&node_type);
  b->word.bits = bits_of(&global);
  node c = spgc_allocate(&node_type);
  c->word.bits = bits_of(&global);
  return sum_of(b, c);
}

static NOINLINE long by_called_getter(void) {
  node b = spgc_allocate(&node_type);
  b->word.bits = called_bits_of(&global);
  node c = spgc_allocate(&node_type);
  c->word.bits = called_bits_of(&global);
  return sum_of(b, c) + (long)(called_bits_of(&other_global) & 1);
}

static NOINLINE long by_leaf_getter(void) {
  node b = spgc_allocate(&node_type);
  b->word.bits = leaf_bits_of(&global);
  node c = spgc_allocate(&node_type);
  c->word.bits = leaf_bits_of(&global);
  return sum_of(b, c);
}

static NOINLINE long through_pointer(const word *from) {
  node b = spgc_allocate(&node_type);
  b->word.bits = from->bits;
  node c = spgc_allocate(&node_type);
  c->word.bits = from->bits;
  return sum_of(b, c);
}

static NOINLINE long of_variable(long n) {
  word local;
  local.ref = make(n);
  return through_pointer(&local);
}

SPGC_LEAF static void set_bits(word *to, uint64_t bits) {
  to->bits = bits;
}

static NOINLINE long by_setter(node from) {
  set_bits(&global, from->word.bits);
  last = spgc_allocate(&node_type);
  set_bits(&other_global, from->word.bits);
  node other = make(3);
  return global.ref->number + other_global.ref->number + other->number - 3;
}

/* A number is ruled out before an allocation, and the word is cast after it. */
static NOINLINE long cast_later(const word *from) {
  if (from->bits & 1)
    return -1000000;
  node b = spgc_allocate(&node_type);
  node a = (node)from->bits;
  last = b;
  b->number = a->number;
  node other = make(3);
  return b->number + other->number - 3;
}

static NOINLINE long cast_global_later(void) {
  if (global.bits & 1)
    return -1000000;
  node b = spgc_allocate(&node_type);
  node a = (node)global.bits;
  last = b;
  b->number = a->number;
  node other = make(3);
  return b->number + other->number - 3;
}

/* A variable that a callee may fill is set to a number in one case. */
static NOINLINE void fill(word *to, long n) {
  if (n > 5)
    to->ref = make(n);
}

static void set_inlined(word *to, uint64_t bits) {
  to->bits = bits;
}

static void set_real(word *to, uint64_t bits) {
  to->real = (double)bits;
}

static NOINLINE long set_in_variable(node a, long n) {
  word local;
  local.ref = a;
  if (n & 1)
    set_inlined(&local, (uint64_t)(2 * n + 1));
  fill(&local, n > 5 ? n : 0);
  make(3);
  return local.bits & 1 ? (long)(local.bits / 2) : local.ref->number; /* at: 'local' */
}

static NOINLINE long real_in_variable(node a, long n) {
  word local;
  local.ref = a;
  if (n & 1)
    set_real(&local, (uint64_t)n);
  fill(&local, n & 1 ? 0 : n);
  make(3);
  return n & 1 ? (long)local.real : local.ref->number;
}

static int is_five(const word *from) {
  return from->bits == 5;
}

static uint64_t copied_bits(const word *from) {
  uint64_t bits;
  memcpy(&bits, from, sizeof bits);
  return bits;
}

static NOINLINE long looked_at(node a, long n) {
  word local, another;
  local.ref = another.ref = a;
  fill(&local, n);
  fill(&another, n);
  make(3);
  if (is_five(&local) || (copied_bits(&another) & 1) != 0)
    return -1000000;
  return local.ref->number + another.ref->number;
}

/* It shows no reference. A leaf that gets a local copy keeps it in memory. */
struct value {
  uint64_t bits;
};

struct cell {
  const struct spgc_type *type;
  struct value value, spare;
  long number;
};

typedef struct cell SPGC_MANAGED *cell;

static const struct spgc_type cell_type =
    SPGC_OBJECT_TYPE(struct cell, SPGC_OFFSET(struct cell, value), SPGC_OFFSET(struct cell, spare));

SPGC_LEAF static int is_number(const struct value *value) {
  return value->bits & 1;
}

static NOINLINE cell cell_make(long number) {
  cell made = spgc_allocate(&cell_type);
  made->number = number;
  return made;
}

static NOINLINE long sum_of_cells(cell b, cell c) {
  cell other = cell_make(3);
  return ((cell)b->value.bits)->number + ((cell)c->value.bits)->number + other->number - 3;
}

static NOINLINE long given_to_leaf(cell a) {
  cell b = spgc_allocate(&cell_type);
  struct value once = a->value;
  if (is_number(&once))
    return -1000000;
  b->value = once;
  cell c = spgc_allocate(&cell_type);
  struct value again = a->value;
  if (is_number(&again))
    return -1000000;
  c->value = again;
  return sum_of_cells(b, c);
}

static NOINLINE long all(node from, long n) {
  global.ref = make(n);
  other_global.ref = make(1);
  long sum = by_getter() + by_called_getter() + by_leaf_getter() + of_variable(n);
  sum += through_pointer(&global) + cast_later(&global) + cast_global_later();
  from->word.ref = make(n);
  return sum + by_setter(from);
}

long managed_run(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    node from = make(i);
    cell a = cell_make(1);
    a->value.bits = (uintptr_t)cell_make(i);
    sum += all(from, i) + given_to_leaf(a);
    sum += set_in_variable(from, i) + real_in_variable(from, i) + looked_at(from, i);
  }
  return sum;
}
