/* refused: a word that is declared as a reference is read or written as a number, and */
/* Structures and unions of one reference, for which no register is left: the ABI passes them as
 * integers. */
#include "spgc/managed.h"

#include <stdarg.h>

#define NOINLINE __attribute__((noinline))

struct node;
typedef struct node SPGC_MANAGED *node;

struct node {
  const struct spgc_type *type;
  node next;
  long number;
};

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, next));

struct box {
  node ref;
};

union word {
  node ref;
  uint64_t bits;
  double real;
};

struct deep {
  struct {
    struct box at[1];
  } inner;
};

static NOINLINE node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

static NOINLINE long of_box(long a, long b, long c, long d, long e, long f, struct box g,
                            struct deep h) {
  make(a)->next = make(b);
  return a + b + c + d + e + f + g.ref->number + h.inner.at[0].ref->number;
}

static NOINLINE long of_word(long a, long b, long c, long d, long e, long f, union word g,
                             union word h) {
  make(a)->next = make(b);
  return a + b + c + d + e + f + g.ref->number + (h.bits & 1 ? (long)h.bits >> 1 : h.ref->number);
}

/* Known to other modules, and called through a pointer. */
long of_anything(long a, long b, long c, long d, long e, long f, double real, struct box g,
                 float narrow, union word h);
NOINLINE long of_anything(long a, long b, long c, long d, long e, long f, double real, struct box g,
                          float narrow, union word h) {
  node made = make(a);
  made->next = g.ref;
  make(b);
  return made->next->number + h.ref->number + c + d + e + f + (long)real + (long)narrow;
}

static long (*volatile anything)(long a, long b, long c, long d, long e, long f, double real,
                                 struct box g, float narrow, union word h) = of_anything;

static NOINLINE long rounds(long a, long b, long c, long d, long e, long left, struct box f,
                            union word g) {
  if (left <= 0)
    return a + f.ref->number + g.ref->number;
  if (left & 1)
    make(left);
  return rounds(b, c, d, e, a + 1, left - 1, left & 2 ? (struct box){make(left)} : f, g);
}

/* It has no other sign of references. */
static NOINLINE long pass_on(long a, long b, long c, long d, long e, long f, struct box g) {
  return of_box(b, a, d, c, f, e, g, (struct deep){{{g}}});
}

static long of_more;

static NOINLINE void of_any_count(long a, long b, long c, long d, long e, long f, struct box g,
                                  ...) {
  va_list more;
  make(a)->next = make(b);
  va_start(more, g);
  of_more = g.ref->number + va_arg(more, long) + c + d + e + f;
  va_end(more);
}

/* Swift's convention passes unions as integers. */
__attribute__((swiftcall)) static NOINLINE long swift(struct box a, union word b, long c) {
  make(c)->next = make(c);
  return a.ref->number + b.ref->number + c;
}

long managed_run(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    struct box a = {make(i)};
    union word b = {make(i + 1)}, odd = {.bits = (uint64_t)i * 2 + 1}; /* at: 'odd' */
    struct deep c = {{{{make(i + 2)}}}};
    sum += of_box(1, 2, 3, 4, 5, 6, a, c);
    sum += of_word(1, 2, 3, 4, 5, 6, b, odd) + of_word(1, 2, 3, 4, 5, 6, b, b);
    sum += anything(1, 2, 3, 4, 5, 6, 7, a, 8, b);
    sum += rounds(1, 2, 3, 4, 5, i % 9, a, b);
    sum += pass_on(1, 2, 3, 4, 5, 6, a);
    of_any_count(1, 2, 3, 4, 5, 6, a, i);
    sum += of_more;
    sum += swift(a, b, i);
  }
  return sum;
}
