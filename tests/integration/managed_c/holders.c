/* Structures around one reference. To clang a copy is a number. */
#include "spgc/managed.h"

#define NOINLINE __attribute__((noinline))

struct node {
  const struct spgc_type *type;
  long number;
};

typedef struct node SPGC_MANAGED *node;

static const struct spgc_type node_type = SPGC_DATA_TYPE(struct node);

typedef struct {
  node ref;
} holder;

static NOINLINE node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

static void copy(holder *to, const holder *from) {
  *to = *from;
}

static holder saved;

static NOINLINE void put(const holder *from) {
  saved = *from;
}

static NOINLINE void get(holder *to) {
  *to = saved;
}

static NOINLINE long brought_back(long n) {
  holder holder = {make(n)};
  put(&holder);
  for (long i = 0; i < 20; i++)
    holder.ref = make(-i);
  get(&holder);
  return holder.ref->number;
}

static holder first, second, third;

static NOINLINE long over_local(long n) {
  first.ref = make(n);
  holder local;
  copy(&local, &first);
  node other = make(3);
  copy(&third, &local);
  make(5);
  return third.ref->number + other->number - 3;
}

static node last;

static NOINLINE long number_of_copies(void) {
  node other = make(3);
  return second.ref->number + third.ref->number + other->number - 3;
}

static NOINLINE long read_twice(long n) {
  first.ref = make(n);
  copy(&second, &first);
  last = spgc_allocate(&node_type);
  copy(&third, &first);
  return number_of_copies();
}

static holder table[3];

static void exchange(holder *a, holder *b) {
  holder kept = *a;
  *a = *b;
  *b = kept;
}

static void rotate(holder *holders) {
  holder kept = holders[0];
  holders[0] = holders[1];
  holders[1] = holders[2];
  holders[2] = kept;
}

static void fill(holder *to, const holder *from, int count) {
  for (int i = 0; i < count; i++)
    to[i] = from[i];
}

static NOINLINE long turned(void) {
  holder local[3];
  fill(local, table, 3);
  rotate(local);
  node other = make(3);
  exchange(&local[0], &local[1]);
  make(4);
  fill(table, local, 3);
  return other->number;
}

static NOINLINE long in_arrays(long n) {
  for (int i = 0; i < 3; i++)
    table[i].ref = make(n + i);
  long sum = turned() - 3;
  make(9);
  for (int i = 0; i < 3; i++)
    sum = sum * 10 + table[i].ref->number - n;
  return sum == 210 ? n : -1000000;
}

/* Like std::optional. */
struct maybe {
  union {
    holder value;
    char nothing;
  };
  char has_value;
};

static struct maybe perhaps;

static void assign(struct maybe *to, const holder *from) {
  to->value = *from;
  to->has_value = 1;
}

static const holder *value(const struct maybe *from) {
  return &from->value;
}

static NOINLINE holder held(long n) {
  return (holder){make(n)};
}

static NOINLINE long optional(long n) {
  holder one = held(n);
  assign(&perhaps, &one);
  holder other = held(1);
  return perhaps.has_value ? value(&perhaps)->ref->number + other.ref->number - 1 : -1000000;
}

long managed_run(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    node kept = make(i);
    sum += brought_back(i) + over_local(i) + read_twice(i) + in_arrays(i) + optional(i);
    sum += kept->number;
  }
  return sum;
}
