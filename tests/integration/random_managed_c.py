"""Random C programs with references. Compiled with references as pointers of address space 1, or as
ordinary pointers for a program on malloc, they print the same number.

Programs within the contract have structures, arrays, values (spgc/value.h), pointers into objects,
their differences and order, moves in variables, roots, functions that take and return structures,
or that read and write them through ordinary pointers, tail calls, addresses of the moment, leaves
with ordinary pointers. Each program outside it hides a reference as a number, in one of the ways
below `class Outside`.
"""
import random
import re

PROLOGUE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#ifdef ON_MALLOC
#include "spgc/type.h"
#define MANAGED
#define LEAF
void *spgc_allocate(const struct spgc_type *type);
void *spgc_allocate_array(const struct spgc_type *type, uint64_t length);
#define OF_REF(object) ((spgc_value)(object))
#define SPGC_LOAD_ACQUIRE(o, f) __atomic_load_n(&(o)->f, __ATOMIC_ACQUIRE)
#define SPGC_STORE_RELEASE(o, f, r) __atomic_store_n(&(o)->f, r, __ATOMIC_RELEASE)
#define SPGC_EXCHANGE(o, f, r) __atomic_exchange_n(&(o)->f, r, __ATOMIC_SEQ_CST)
#define SPGC_COMPARE_EXCHANGE(o, f, e, r) __sync_val_compare_and_swap(&(o)->f, e, r)
#else
#include "spgc/managed.h"
#define MANAGED SPGC_MANAGED
#define LEAF SPGC_LEAF
#define OF_REF(object) ((spgc_value)(object))
#endif
#include "spgc/value.h"
#define TO_REF(value) ((ref)(value))
#define OFFSET(type, field) ((uint32_t)offsetof(type, field))

struct node;
typedef struct node MANAGED *ref;

struct box { ref r; };
struct value { long tag; spgc_value u; };
struct point { long x, y; };
struct longs { const struct spgc_type *type; uint64_t length; long at[]; };
typedef struct longs MANAGED *longs;
struct entry { ref r; long weight; };
struct table { const struct spgc_type *type; uint64_t length; struct entry at[]; };
typedef struct table MANAGED *table;
struct node {
  const struct spgc_type *type;
  long n, m;
  ref r, s;
  struct box b, c;
  struct point p;
  struct value v, w;
  longs l;
  table t;
};

static const uint32_t node_references[] = {
    OFFSET(struct node, r), OFFSET(struct node, s), OFFSET(struct node, b), OFFSET(struct node, c),
    OFFSET(struct node, v.u), OFFSET(struct node, w.u), OFFSET(struct node, l),
    OFFSET(struct node, t)};
static const struct spgc_type node_type = {.size = sizeof(struct node), .reference_count = 8,
                                           .reference_offsets = node_references, .name = "node"};
static const struct spgc_type longs_type = {.size = sizeof(struct longs),
                                            .element_size = sizeof(long),
                                            .flags = SPGC_TYPE_TAIL, .name = "longs"};
static const uint32_t entry_references[] = {OFFSET(struct entry, r)};
static const struct spgc_type table_type = {.size = sizeof(struct table),
                                            .element_size = sizeof(struct entry),
                                            .flags = SPGC_TYPE_TAIL, .element_reference_count = 1,
                                            .element_reference_offsets = entry_references,
                                            .name = "table"};

struct pair { const struct spgc_type *type; struct box b, c; };
typedef struct pair MANAGED *pair;
static const uint32_t pair_references[] = {OFFSET(struct pair, b), OFFSET(struct pair, c)};
static const struct spgc_type pair_type = {.size = sizeof(struct pair), .reference_count = 2,
                                           .reference_offsets = pair_references, .name = "pair"};

/* Words that a union hides, outside the contract: the first member is a number. */
union word { long i; double d; ref r; };
struct words { const struct spgc_type *type; union word a, b; };
typedef struct words MANAGED *words;
static const uint32_t words_references[] = {OFFSET(struct words, a), OFFSET(struct words, b)};
static const struct spgc_type words_type = {.size = sizeof(struct words), .reference_count = 2,
                                            .reference_offsets = words_references,
                                            .name = "words"};
typedef long any_long __attribute__((may_alias));
typedef double any_double __attribute__((may_alias));
typedef long word_pair __attribute__((vector_size(16), aligned(8), may_alias));

static ref root;
static void MANAGED *last;
static struct box root_box, root_boxes[4];
static spgc_value root_words[4];

static struct value root_values[4];
static ref root_array[4];
static long fuel;

static longs longs_make(long x) {
  longs l = spgc_allocate_array(&longs_type, 4);
  for (int i = 0; i < 4; i++)
    l->at[i] = x + i;
  return l;
}

static ref node_make(long x) {
  longs l = longs_make(x);
  table t = spgc_allocate_array(&table_type, 4);
  ref o = spgc_allocate(&node_type);
  o->n = x;
  o->m = x ^ 5;
  o->r = o->s = o->b.r = o->c.r = o;
  o->p = (struct point){x, -x};
  o->v = (struct value){1, OF_REF(o)};
  o->w = (struct value){0, spgc_value_from_integer(x & 7)};
  o->l = l;
  o->t = t;
  for (int i = 0; i < 4; i++)
    t->at[i] = (struct entry){o, x + i};
  return o;
}

__attribute__((noinline)) static void churn(void) {
  if (fuel > 0) {
    fuel--;
    spgc_allocate_array(&longs_type, (uint64_t)(fuel & 3));
  }
}

/* Nothing but a collection changes what the program sees of memory. */
__attribute__((noinline)) static longs fresh(void) {
  return spgc_allocate_array(&longs_type, 1);
}

/* Touches no memory; its loop has a poll. */
__attribute__((noinline)) static long spin(long x) {
  for (long i = 0; i < (x & 3); i++)
    x = x * 3 + i;
  return x;
}

/* A pointer that may be one into any variable. */
__attribute__((noinline)) static ref *items_start(ref *items) {
  return items;
}

static long value_sum(struct value v) {
  return v.tag ? TO_REF(v.u)->n + TO_REF(v.u)->m : spgc_value_integer(v.u);
}

__attribute__((noinline)) static struct value value_pass(struct value v) {
  churn();
  return v;
}

__attribute__((noinline)) static struct box box_pass(struct box b) {
  churn();
  return b;
}

/* Passed by its address, and copied behind it. */
struct wide { ref a; long n; ref b; struct box c; };

__attribute__((noinline)) static long wide_sum(const struct wide *w) {
  churn();
  return w->a->n + w->n + w->b->m + w->c.r->n;
}

static long wide_forward(const struct wide *w) {
  struct wide copy = *w;
  churn();
  return wide_sum(&copy);
}

__attribute__((noinline)) static long wide_twice(const struct wide *w, long x, struct wide *v) {
  churn();
  return wide_forward(v) - x * wide_sum(w);
}

__attribute__((noinline)) static void wide_pass(struct wide *to, const struct wide *from) {
  churn();
  *to = *from;
}

/* Returned in memory. */
__attribute__((noinline)) static struct wide wide_turned(const struct wide *w) {
  struct wide turned = {w->b, w->n + 1, w->a, w->c};
  churn();
  return turned;
}

static long wide_turn(struct wide *w, long depth) {
  churn();
  if (depth <= 0)
    return wide_sum(w);
  *w = wide_turned(w);
  return wide_turn(w, depth - 1);
}

/* No register is left for the last parameters. The first function calls itself at its end. */
__attribute__((noinline)) static long crowded_turn(struct box f, spgc_value g, long a, long b,
                                                   long c, long d, long e, long left) {
  if (left <= 0)
    return a + b * 3 + f.r->n + (spgc_value_is_integer(g) ? spgc_value_integer(g) : TO_REF(g)->m);
  if (left & 1)
    churn();
  return crowded_turn(left & 2 ? f : f.r->b, g, b, c, d, e, a + 1, left - 1);
}

__attribute__((noinline)) static spgc_value crowded_pass(long a, spgc_value h, long b, long c,
                                                         long d, long e, double f, long g) {
  churn();
  return a > b ? h : spgc_value_from_integer(c ^ d ^ e ^ g ^ (long)f);
}

static spgc_value (*volatile crowded)(long a, spgc_value h, long b, long c, long d, long e,
                                      double f, long g) = crowded_pass;

/* Nothing moves while these run. */
LEAF static const long *leaf_start(longs l) {
  return (const long *)(uintptr_t)&l->at[0];
}

LEAF static long leaf_sum(longs l, long n) {
  const long *at = leaf_start(l);
  long sum = 0;
  for (long i = 0; i < n; i++)
    sum = sum * 3 + at[i & 3];
  return sum;
}

LEAF static inline __attribute__((always_inline)) long leaf_inlined(longs l, long n) {
  const long *at = leaf_start(l);
  long sum = 0;
  while (n-- > 0)
    sum ^= at[n & 3] + n;
  return sum;
}

static long helper_sum(const long *at, long n) {
  return n <= 0 ? 0 : *at + helper_sum(at, n - 1);
}

LEAF static long leaf_helped(const long *at, long n) {
  return helper_sum(at, n);
}

LEAF static long leaf_at(longs l, long i) {
  return leaf_start(l)[i & 3];
}

LEAF static uintptr_t leaf_address(ref o) {
  return (uintptr_t)o;
}

LEAF __attribute__((noinline)) static uintptr_t leaf_field(ref o) {
  return (uintptr_t)&o->m;
}

/* Nothing is longer than the buffer. */
LEAF static long leaf_printed(ref o) {
  char text[24];
  if (snprintf(text, sizeof text, "%ld", o->n) > (int)sizeof text)
    printf("(");
  return strtol(text, NULL, 10);
}

static long printed(longs l) {
  char text[24];
  int length = snprintf(text, sizeof text, "%.7s", (const char MANAGED *)&l->at[1]);
  if (length > (int)sizeof text)
    printf(")");
  return length + abs((int)strlen(text) - 3);
}

__attribute__((noinline)) static long tail_walk(ref o, long n, long sum) {
  if (n <= 0)
    return sum;
  return tail_walk(n & 1 ? o->r : o->s, n - 1, sum + (long)((uintptr_t)&o->s - (uintptr_t)o));
}

__attribute__((noinline)) static long wide_place(struct wide *place) {
  churn();
  *place = wide_turned(place);
  churn();
  return wide_forward(place);
}

/* Outside the contract. Nothing shows what the bits are, or the places. */
__attribute__((noinline)) static uintptr_t bits_of(ref o) {
  uintptr_t bits = (uintptr_t)o;
  return bits + (uintptr_t)o->n - (uintptr_t)o->n;
}
LEAF __attribute__((noinline)) static long load_bits(any_long MANAGED *from) { return *from; }
LEAF __attribute__((noinline)) static void store_bits(any_long MANAGED *to, long bits) {
  *to = bits;
}
LEAF __attribute__((noinline)) static ref made_of(uintptr_t bits) { return (ref)bits; }
LEAF __attribute__((noinline)) static void copy_bytes(char MANAGED *to, const char MANAGED *from,
                                                      long n) {
  for (long i = 0; i < n; i++)
    to[i] = from[i];
}
__attribute__((noinline)) static long crowd(long a, long b, long c, long d, long e, long f,
                                            struct box g) {
  churn();
  return a + b + c + d + e + f + g.r->n;
}
struct big { ref a; long n; ref b; };
__attribute__((noinline)) static long big_sum(struct big g) {
  churn();
  return g.a->n + g.n + g.b->m;
}
static long number_root;
static char bytes_root[16];
"""

# Functions that are given ordinary pointers to holders of references. Each program inlines others
# of them: ANY stands for one of the ways, SOME for one that is no leaf.
ACCESSORS = r"""
ANY void box_copy(struct box *to, const struct box *from) { *to = *from; }
ANY ref box_get(const struct box *from) { return from->r; }
ANY void box_set(struct box *to, ref r) { to->r = r; }
ANY void box_swap(struct box *a, struct box *b) { struct box c = *a; *a = *b; *b = c; }
SOME void box_load(struct box *to, ref from) { *to = from->b; }
SOME void box_save(ref to, const struct box *from) { to->c = *from; }

ANY void word_copy(spgc_value *to, const spgc_value *from) { *to = *from; }
ANY spgc_value word_get(const spgc_value *from) { return *from; }
ANY void word_set_ref(spgc_value *to, ref r) { *to = OF_REF(r); }
ANY void word_set_number(spgc_value *to, long x) { *to = spgc_value_from_integer(x); }
ANY void word_set_real(spgc_value *to, double x) { *to = spgc_value_from_double(x); }
ANY int word_is_ref(const spgc_value *from) { return spgc_value_is_object(*from); }
ANY long word_n(const spgc_value *from) {
  return spgc_value_is_integer(*from)  ? spgc_value_integer(*from)
         : spgc_value_is_double(*from) ? (long)(spgc_value_double(*from) * 4)
                                       : TO_REF(*from)->n;
}
SOME void word_put(ref to, spgc_value word) { to->v.tag = 1; to->v.u = word; }
SOME void word_put_twice(ref to, const spgc_value *from) {
  if (!word_is_ref(from))
    return;
  to->v.tag = 1;
  to->v.u = *from;
  fresh();
  to->w.tag = 1;
  to->w.u = *from;
}

ANY void value_copy(struct value *to, const struct value *from) { *to = *from; }
ANY long value_get(const struct value *from) {
  return from->tag ? TO_REF(from->u)->n : spgc_value_integer(from->u);
}
ANY void value_set_number(struct value *to, long x) {
  to->tag = 0;
  to->u = spgc_value_from_integer(x);
}
ANY void value_set_ref(struct value *to, ref r) { to->tag = 1; to->u = OF_REF(r); }
SOME void value_load(struct value *to, ref from) { *to = from->v; }
SOME void value_save(ref to, const struct value *from) { to->w = *from; }
"""

ROOTS = {"box": "root_boxes", "word": "root_words", "value": "root_values"}
WAYS = ("static", "static inline", "static inline __attribute__((always_inline))",
        "__attribute__((noinline)) static")
LEAF_WAYS = ("LEAF static", "LEAF __attribute__((noinline)) static")

ON_MALLOC = r"""
#include <stdio.h>
#include <stdlib.h>
#include "spgc/type.h"
void *spgc_allocate_array(const struct spgc_type *type, uint64_t length) {
  char *o = calloc(1, type->size + length * type->element_size + 8);
  *(const struct spgc_type **)o = type;
  if (type->element_size)
    *(uint64_t *)(o + 8) = length;
  return o;
}
void *spgc_allocate(const struct spgc_type *type) { return spgc_allocate_array(type, 0); }
int64_t managed_run(int64_t n);
int main(int count, char **words) {
  return count > 1 ? printf("%ld\n", managed_run(atol(words[1]))) < 0 : 2;
}
"""


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.depth = 0
        self.names = 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def out(self, line):
        self.lines.append("  " * (self.depth + 1) + line)

    def ref(self):
        o = self.pick("a", "b", "c")
        return self.pick(o, o, o, f"{o}->r", f"{o}->s", f"{o}->b.r",
            f"{o}->t->at[{self.index()}].r")

    def index(self):
        return self.pick("0", "1", "2", "3", "(x & 3)", "(y & 3)")

    def number(self):
        o = self.ref()
        return self.pick("x", "y", "1", str(self.random.randrange(100)), f"{o}->n", f"{o}->m",
            f"{o}->p.x",
                         f"{o}->l->at[{self.index()}]", f"value_sum({o}->{self.pick('v', 'w')})",
                         f"{o}->t->at[{self.index()}].weight", "(x ^ y)", "spin(x & 15)")

    def value(self):
        return f"{self.ref()}->{self.pick('v', 'w')}"

    def box(self):
        return f"{self.ref()}->{self.pick('b', 'c')}"

    def pause(self):
        if self.random.random() < 0.6:
            self.out(self.pick("fresh();", "fresh();", "last = fresh();",
                     "churn();", "y += spin(x & 7) & 3;"))

    def assign(self):
        self.out(
            f"{self.pick('a', 'b', 'c')} = "
            f"{self.pick(self.ref(), self.ref(), f'node_make({self.number()} & 1023)')};")

    def compute(self):
        self.out(f"{self.pick('x', 'y')} {self.pick('=', '+=', '^=', '-=')} {self.number()};")

    def store(self):
        o = self.pick("a", "b", "c")
        self.out(self.pick(f"{o}->{self.pick('r', 's', 'b.r', 'c.r')} = {self.ref()};",
                           f"{o}->{self.pick('n', 'm', 'p.x', 'p.y')} = {self.number()};",
                           f"{o}->l->at[{self.index()}] = {self.number()};",
                           f"{o}->t->at[{self.index()}].r = {self.ref()};"))

    def copy_box(self):
        to, source = (f"{self.pick('a', 'b', 'c')}->{self.pick('b', 'c')}" for _ in range(2))
        # A length that is not constant counts up to the end of the node, whose words must agree.
        same = f"{self.pick('a', 'b', 'c')}->{source[-1]}"
        self.out(self.pick(f"{to} = {source};", f"memcpy(&{to}, &{source}, sizeof(struct box));",
                           f"memmove(&{same}, &{source}, (size_t)(1 + (x & 0)) * 8);"))
        self.pause()
        if self.pick(True, False):
            self.out(f"{self.pick(to, self.box())} = {source};")

    def copy_in_fresh(self):
        """Objects that nothing else refers to: all that is known of them stays known over calls."""
        p, q = self.name("p"), self.name("p")
        self.out(f"pair {p} = spgc_allocate(&pair_type);")
        self.out(f"pair {q} = spgc_allocate(&pair_type);")
        self.out(f"{p}->b.r = {self.ref()};")
        self.out(f"{q}->b = {p}->b;")
        self.pause()
        self.out(f"{q}->c = {p}->b;")
        self.pause()
        self.out(f"{p}->c = {q}->{self.pick('b', 'c')};")
        self.out(f"x += {q}->c.r->n + ({q}->b.r == {q}->c.r) + {p}->c.r->m;")

    def copy_local(self):
        kind, maker = self.pick(("box", self.box), ("value", self.value))
        k = self.name("k")
        self.out(f"struct {kind} {k} = {maker()};")
        self.pause()
        if kind == "value" and self.pick(True, False):
            used = self.pick(f"value_sum({k})", f"({k}.tag ? 1 : spgc_value_integer({k}.u))",
                             f"({k}.tag ? TO_REF({k}.u)->n : 2)")
            self.out(f"x += {used};")
        if self.pick(True, False):
            self.out(f"{k} = {kind}_pass({k});")
        self.out(f"{maker()} = {k};")

    def pass_wide(self):
        k, l = self.name("k"), self.name("k")
        for variable in (k, l):
            self.out(f"struct wide {variable} = {{{self.ref()}, {self.number()} & 255, "
                     f"{self.ref()}, {self.box()}}};")
        self.pause()
        self.out(self.pick(f"x += wide_forward(&{k});", f"x ^= wide_twice(&{k}, y & 3, &{l});",
                           f"wide_pass(&{l}, &{k});", f"y += wide_place(&{k});",
                           f"{l} = wide_turned(&{k});", f"x += wide_turn(&{k}, y & 7);"))
        self.pause()
        self.out(f"{self.pick('a', 'b', 'c')} = {self.pick(k, l)}.{self.pick('a', 'b', 'c.r')};")

    def pass_crowded(self):
        k = self.name("k")
        word = self.pick(f"OF_REF({self.ref()})", f"spgc_value_from_integer({self.number()} & 63)")
        self.out(f"spgc_value {k} = {word};")
        self.pause()
        self.out(self.pick(
            f"x += crowded_turn({self.box()}, {k}, 1, x & 7, y & 3, 2, 5, y & 7);",
            f"{k} = {self.pick('crowded', 'crowded_pass')}(x & 7, {k}, y & 7, 3, 4, 5, 0.5, "
            f"x & 3);"))
        self.pause()
        self.out(f"x += word_n(&{k});")

    def make_value(self):
        self.out(self.pick(f"{self.value()} = (struct value){{1, OF_REF({self.ref()})}};",
                           f"{self.value()} = (struct value){{0, spgc_value_from_integer("
                           f"{self.number()} & 255)}};"))

    def copy_point(self):
        k = self.name("k")
        self.out(f"struct point {k} = {self.ref()}->p;")
        self.pause()
        self.out(f"{self.ref()}->p = {k}; x += {k}.x;")

    def copy_entries(self):
        self.out(self.pick(
            f"{self.ref()}->t->at[{self.index()}] = {self.ref()}->t->at[{self.index()}];",
            f"memmove({self.pick('a', 'b')}->t->at, b->t->at + (x & 1), (size_t)(1 + (y & 1)) * "
            f"sizeof(struct entry));"))
        self.pause()

    def roots(self):
        i = self.index()
        self.out(self.pick(f"root = {self.ref()};", f"root_box = "
                                                    f"{self.box()};", f"root_array[{i}] = "
                                                                      f"{self.ref()};",
                           f"root_values[{i}] = "
                           f"{self.value()};", f"root_values[{i}].u = OF_REF({self.ref()}); "
                                               f"root_values[{i}].tag = 1;"))
        self.pause()
        self.out(self.pick(f"{self.pick('a', 'b', 'c')} = root;", f"{self.box()} = root_box;",
                           f"{self.pick('a', 'b', 'c')} = root_array[{self.index()}];",
                           f"{self.value()} = root_values[{self.index()}];"))

    def pointers(self):
        o, e, f = self.pick("a", "b", "c"), self.name("e"), self.name("e")
        array, kind = self.pick(("l", "long"), ("t", "struct entry"))
        self.out(f"{kind} MANAGED *{e} = &{o}->{array}->at[{self.index()}];")
        self.out(f"{kind} MANAGED *{f} = {o}->{array}->at + {self.index()};")
        again = self.pick(f"x += {e} - {o}->{array}->at;",
                          f"x += ({e} < {o}->{array}->at + 2) * 3;",
                          f"x += (long)((uintptr_t){e} - (uintptr_t){o}->{array});")
        self.out(again)
        self.out(self.pick("churn();", "fresh();", "fresh(); churn();"))
        self.out(again)
        compared = self.pick(f"{f} - {e}", f"({f} < {e})", f"({f} >= {e}) * 3", f"({f} == {e})")
        self.out(f"x += {compared};")
        self.pause()
        self.out(f"y += {self.pick(f'({e} - {o}->{array}->at)', f'({e} < {o}->{array}->at + 4)')};"
            if o == "c" else
                 f"y += {self.pick(f'{e} - {f}', f'({f} > {e})')};")

    def casts(self):
        o, p = self.pick("a", "b", "c"), self.ref()
        self.out(self.pick(*(f"x += (long)((uintptr_t)&{o}->{field} - "
                             f"(uintptr_t){o});" for field in ("n", "m", "s", "v.u")),
                             f"y += (uintptr_t){o} == (uintptr_t){p};",
                           f"x += (uintptr_t){o} & 7;", f"x += {o} == {p};"))

    def atomics(self):
        o, k, r = self.pick("a", "b", "c"), self.name("k"), self.ref()
        field = self.pick("r", "s", "b.r", "t->at[%s].r" % self.index())
        if "->" in field:
            holder, field = f"{o}->t", field[3:]
        else:
            holder = o
        self.out(self.pick(f"ref {k} = SPGC_LOAD_ACQUIRE({holder}, {field});",
                           f"SPGC_STORE_RELEASE({holder}, {field}, {r}); ref {k} = {r};",
                           f"ref {k} = SPGC_EXCHANGE({holder}, {field}, {r});",
                           f"ref {k} = SPGC_COMPARE_EXCHANGE({holder}, {field}, "
                           f"{self.pick(f'{holder}->{field}', self.ref())}, {r});"))
        self.pause()
        self.out(f"x += {k}->n;")

    def walk(self):
        o, e = self.pick("a", "b"), self.name("e")
        self.out(
            f"for (long MANAGED *{e} = {o}->l->at; {e} {self.pick('<', '!=')} {o}->l->at + 4; "
            f"{e}++) {{")
        self.depth += 1
        self.pause()
        self.out(f"x += *{e} * ({e} - {o}->l->at + 1);")
        self.depth -= 1
        self.out("}")
        # The loop's array stays the one it began with.

    def local_stack(self):
        """A loop computes places in a local array."""
        stack, count, left, at = (self.name(prefix) for prefix in ("stack", "n", "left", "at"))
        self.out(f"ref {stack}[16];")
        self.out(f"int {count} = 0, {left} = {self.random.randrange(3, 40)};")
        self.out(f"{stack}[{count}++] = {self.ref()};")
        self.out(f"while ({count} != 0 && {left}-- != 0) {{")
        self.depth += 1
        self.out(f"ref {at} = {stack}[--{count}];")
        self.out(f"x += {at}->n;")
        self.pause()
        pushes = " ".join(f"{stack}[{count}++] = {at}->{self.pick('r', 's', 'b.r')};"
                          for _ in range(self.random.randrange(1, 4)))
        self.out(f"if ({count} < 13) {{ {pushes} }}")
        self.depth -= 1
        self.out("}")

    def addresses(self):
        """Numbers of the moment, in a loop: no safepoint lies between a cast and its use."""
        p, at, i = self.name("p"), self.name("at"), self.name("i")
        self.out(f"ref {p} = {self.ref()};")
        self.out(f"for (long {i} = y & 3; {p} != c->s && {i} < {self.random.randrange(3, 9)}; "
                 f"{i}++) {{")
        self.depth += 1
        self.out(f"uintptr_t {at} = {self.pick(f'(uintptr_t){p}', f'leaf_address({p})')};")
        self.out(self.pick(f"x += (long)((uintptr_t)&{p}->m - {at});",
                           f"x += {at} == (uintptr_t){p};",
                           f"x += (long)(leaf_field({p}) - {at});"))
        self.out(f"{p} = {p}->{self.pick('r', 's', 'b.r')};")
        self.pause()
        self.depth -= 1
        self.out("}")

    def leaves(self):
        o = self.pick("a", "b", "c")
        self.out(self.pick(f"x += leaf_sum({o}->l, y & 31);", f"y ^= leaf_inlined({o}->l, x & 31);",
                           f"x += leaf_helped(leaf_start({o}->l), x & 3);",
                           f"y += leaf_at({o}->l, x);", f"x += tail_walk({o}, y & 7, 0);",
                           f"y ^= leaf_printed({o});", f"x ^= printed({o}->l);"))
        told = self.pick(f"x += leaf_address({o}) == (uintptr_t){o};",
                         f"x += (long)(leaf_field({o}) - leaf_address({o}));")
        self.out(told)
        self.pause()
        self.out(told)

    def call(self):
        self.out(
            f"x ^= f{self.random.randrange(self.function)}({self.ref()}, {self.ref()}, x & "
            f"63);" if self.function and self.depth == 0 else "churn();")

    def holder(self, kind, first):
        """A place for a box, word or value: a root, or a local variable that `first` fills."""
        if self.in_roots or self.pick(True, False):
            return f"{ROOTS[kind]}[{self.index()}]"
        k = self.name("k")
        type_name = "spgc_value" if kind == "word" else f"struct {kind}"
        self.out(f"{type_name} {k};")
        self.out(first(k))
        return k

    def by_pointers(self, kind, first, steps, end):
        """Holders, accessed by functions that are given their addresses. Often the same is done on
        both sides of a pause."""
        self.out("{")
        self.depth += 1
        holders = [self.holder(kind, first) for _ in range(3)]
        for _ in range(self.random.randrange(1, 5)):
            to, source, another = self.random.sample(holders, 3)
            step = self.random.randrange(len(steps(to, source)))
            self.out(steps(to, source)[step])
            self.pause()
            if self.pick(True, True, False):
                self.out(steps(another, source)[step])
                self.pause()
        for k in holders:
            self.out(end(k))
        self.depth -= 1
        self.out("}")

    def access_boxes(self):
        def first(k):
            return self.pick(f"box_set(&{k}, {self.ref()});", f"box_load(&{k}, {self.ref()});",
                             f"box_copy(&{k}, &root_boxes[{self.index()}]);")

        def steps(to, source):
            o = self.pick("a", "b", "c")
            return (f"box_copy(&{to}, &{source});", f"box_copy(&{to}, &{source});",
                    f"{o} = box_get(&{source});", f"box_set(&{to}, {self.ref()});",
                    f"box_swap(&{to}, &{source});", f"box_load(&{to}, {self.ref()});",
                    f"box_save({self.ref()}, &{source});", f"{o}->r = box_get(&{source});")
        self.by_pointers("box", first, steps, lambda k: f"x += box_get(&{k})->n;")

    def access_words(self):
        def first(k):
            return self.pick(f"word_set_ref(&{k}, {self.ref()});",
                             f"word_set_number(&{k}, {self.number()} & 63);",
                             f"word_copy(&{k}, &root_words[{self.index()}]);",
                             f"word_set_ref(&{k}, {self.ref()});")

        def steps(to, source):
            p = self.pick("a", "b", "c")
            return (f"word_copy(&{to}, &{source});", f"{to} = word_get(&{source});",
                    f"{to} = {source};", f"word_set_ref(&{to}, {self.ref()});",
                    f"word_set_number(&{to}, {self.number()} & 63);",
                    f"word_set_real(&{to}, (double)({self.number()} & 63) / 4);",
                    f"if (word_is_ref(&{source})) word_put({p}, word_get(&{source}));",
                    f"if (word_is_ref(&{source})) {{ fresh(); {p}->v.tag = 1; "
                    f"{p}->v.u = word_get(&{source}); }}",
                    f"if (word_is_ref(&{source})) {{ fresh(); {p} = TO_REF({source}); }}",
                    f"x += spgc_value_equal({to}, {source});",
                    f"word_put_twice({p}, &{source});")
        self.by_pointers("word", first, steps, lambda k: f"x += word_n(&{k});")

    def shift_items(self):
        """A move within a local variable, whose operands overlap and may not look so."""
        k, i = self.name("k"), self.random.randrange(3)
        self.out(f"ref {k}[4] = {{{', '.join(self.ref() for _ in range(4))}}};")
        source = self.pick(f"&{k}[{i}]", f"items_start({k}) + {i}", f"items_start(&{k}[{i}])",
                           f"(x & 1 ? {k} + {i} : root_array)")
        self.pause()
        j = self.random.randrange(3)
        self.out(f"memmove(&{k}[{j}], {source}, {self.random.randrange(1, 5 - max(i, j))} * "
                 f"sizeof(ref));")
        self.pause()
        self.out(f"x += {' ^ '.join(f'{k}[{n}]->n * {n + 1}' for n in range(4))};")

    def access_values(self):
        def first(k):
            return self.pick(f"value_set_ref(&{k}, {self.ref()});", f"value_load(&{k}, "
                             f"{self.ref()});", f"value_set_number(&{k}, {self.number()} & 63);",
                             f"value_copy(&{k}, &root_values[{self.index()}]);",
                             f"if (x & 1) value_load(&{k}, {self.ref()}); "
                             f"else value_set_number(&{k}, 0);")

        def steps(to, source):
            return (f"value_copy(&{to}, &{source});", f"value_copy(&{to}, &{source});",
                    f"x += value_get(&{source});", f"value_set_ref(&{to}, {self.ref()});",
                    f"value_set_number(&{to}, {self.number()} & 63);",
                    f"value_load(&{to}, {self.ref()});", f"value_save({self.ref()}, &{source});",
                    f"value_save({self.ref()}, &{source});", f"x += value_sum({source});")
        self.by_pointers("value", first, steps, lambda k: f"x += value_get(&{k});")

    def block(self):
        i = self.name("i")
        self.out(self.pick(
            f"for (int {i} = 0; {i} < {self.random.randrange(1, 4)}; {i}++) "
            f"{{", f"if ({self.number()} & 1) {{"))
        self.depth += 1
        for _ in range(self.random.randrange(1, 4)):
            self.statement()
        self.depth -= 1
        self.out("}")

    def statement(self):
        kinds = [self.assign, self.compute, self.store, self.copy_box, self.copy_in_fresh,
            self.copy_in_fresh, self.copy_local, self.pass_wide, self.pass_crowded,
            self.make_value, self.shift_items, self.atomics,
            self.copy_point,
                 self.copy_entries, self.roots, self.pointers, self.pointers, self.casts, self.walk,
                 self.local_stack, self.addresses, self.addresses, self.leaves, self.leaves,
                 self.call, self.pause,
                 self.access_boxes, self.access_boxes, self.access_words, self.access_words,
                 self.access_values, self.access_values]
        if self.alone:
            kinds = [self.assign, self.pause, *3 * [self.alone]]
        if self.depth < 2 and not self.alone:
            kinds += [self.block, self.block]
        self.random.choice(kinds)()

    def accessors(self):
        ways = {"ANY": (*WAYS, *LEAF_WAYS), "SOME": WAYS}
        return re.sub(r"^[A-Z]+\b", lambda word: self.pick(*ways[word.group()]), ACCESSORS,
                      flags=re.MULTILINE)

    def text(self):
        parts = [PROLOGUE, self.accessors()]
        self.in_roots = self.random.random() < 0.3
        # Where a program hides no other word, the optimiser knows most of its calls.
        self.alone = self.pick(None, None, self.access_boxes, self.access_words,
                               self.access_values)
        for self.function in range(5):
            self.lines, self.depth = [], 0
            for _ in range(self.random.randrange(1, 5) if self.alone
                           else self.random.randrange(4, 12)):
                self.statement()
            inline = self.pick("__attribute__((noinline)) ", "")
            parts.append(f"{inline}static long f{self.function}(ref a, ref b, long x) {{\n  ref c "
                         f"= a->r;\n  long y = b->n;\n"
                         + "\n".join(self.lines) + "\n  return x + y * 3 + c->n + a->m;\n}\n")
        parts.append("""long managed_run(long n) {
  fuel = 400;
  root = node_make(3);
  root_box.r = root;
  for (int i = 0; i < 4; i++) {
    root_boxes[i].r = root;
    root_words[i] = OF_REF(root);
    root_values[i] = root->v;
    root_array[i] = root;
  }
  unsigned long sum = 0;
  for (long i = 0; i < n; i++)
    sum = sum * 31 + (unsigned long)(""" + " ^ ".join(f"f{i}(node_make(i), root, "
                                                      f"i)" for i in range(5)) + """);
  return (long)(sum & 0xffffffffffff);
}
""")
        return "\n".join(parts)


class Outside(Program):
    """One function has one statement more, or a few, that hide a reference as a number. The program
    on malloc does not mind."""

    def hide_in_bits(self):
        k, o = self.name("k"), self.pick("a", "b", "c")
        bits = self.pick(f"(uintptr_t){o}", f"bits_of({o})", f"(uintptr_t){o} + 8",
                         f"((uintptr_t){o} | 1)", f"(uintptr_t)&{o}->n")
        back = {"8": 8, "1)": 1, "n": "offsetof(struct node, n)"}
        less = next((value for end, value in back.items() if bits.endswith(end)), 0)
        self.out(f"uintptr_t {k} = {bits};")
        self.out("fresh();")
        use = self.pick(f"x += ((ref)({k} - {less}))->n;", f"a = (ref)({k} - {less});",
                        f"x += {k} == (uintptr_t){o} + {less};", f"a = made_of({k} - {less});")
        # An odd number that becomes no reference again hides none: it is the address at that point.
        self.out(f"a = (ref)({k} - {less});" if less == 1 and "==" in use else use)

    def hide_in_union(self):
        k, p = self.name("k"), self.name("p")
        self.out(f"words {p} = spgc_allocate(&words_type); {p}->a.r = {self.ref()};")
        self.out(self.pick(f"long {k} = {p}->a.i;", f"long {k} = load_bits(&{p}->a.i);",
                           f"double {k}; {k} = {p}->a.d;"))
        self.out("fresh();")
        self.out(self.pick(f"{p}->b = {p}->a;", f"memcpy(&{p}->b, &{k}, 8);",
                           f"store_bits(&{p}->b.i, *(any_long *)&{k});"))
        self.out(f"fresh(); x += {p}->b.r->n;")

    def hide_in_variable(self):
        k = self.name("k")
        self.out(f"union word {k}; {k}.r = {self.ref()};")
        self.out("fresh();")
        self.out(self.pick(f"x += {k}.r->n;", f"a = (ref){k}.i;", f"a->n = ({k}.i & 1);"
                           f" b = {k}.r;"))

    def hide_in_root(self):
        r = self.ref()
        self.out(self.pick(f"number_root = (long){r};", f"number_root = (long)bits_of({r});",
                           f"memcpy(&number_root, &a->r, 8);", f"number_root = load_bits("
                           f"(any_long MANAGED *)&a->r);"))
        self.out("fresh();")
        self.out(self.pick("a = (ref)number_root;", "a = made_of((uintptr_t)number_root);",
                           "memcpy(&a->s, &number_root, 8);"))

    def hide_in_bytes(self):
        k = self.name("k")
        buffer = self.pick(k, "bytes_root")
        if buffer == k:
            self.out(f"char {k}[16];")
        self.out(self.pick(f"memcpy({buffer}, &a->r, 16);", f"memcpy({buffer}, &a->b, 8);",
                           f"for (int i = 0; i < 8; i++) {buffer}[i] = "
                           f"((const char MANAGED *)&a->r)[i];"))
        self.out("fresh();")
        self.out(self.pick(f"memcpy(&b->s, {buffer}, 8);", f"for (int i = 0; i < 8; i++) "
                           f"((char MANAGED *)&b->s)[i] = {buffer}[i];",
                           f"memcpy(&c, {buffer}, 8);"))
        self.out("x += b->s->n + c->n;")

    def hide_in_copy(self):
        l = self.name("l")
        self.out(f"longs {l} = longs_make(4);")
        self.out(self.pick(f"memcpy({l}->at, &a->r, 16);", f"copy_bytes((char MANAGED *){l}->at, "
                           f"(const char MANAGED *)&a->r, 16);",
                           f"*(word_pair MANAGED *){l}->at = *(word_pair MANAGED *)&a->r;"))
        self.out("fresh();")
        self.out(self.pick(f"memcpy(&a->r, {l}->at, 16);",
                           f"copy_bytes((char MANAGED *)&a->r, (const char MANAGED *){l}->at, 16);",
                           f"a = (ref){l}->at[0];"))
        self.out("x += a->r->n + a->s->n;")

    def hide_in_atomics(self):
        k = self.name("k")
        self.out(self.pick(
            f"ref {k} = __atomic_exchange_n(&a->r, {self.ref()}, __ATOMIC_SEQ_CST);",
            f"ref {k} = (ref)__atomic_exchange_n((any_long MANAGED *)&a->r, (long){self.ref()}, "
            f"__ATOMIC_SEQ_CST);",
            f"ref {k} = __sync_val_compare_and_swap(&a->r, b, {self.ref()});",
            f"ref {k} = __atomic_load_n(&a->r, __ATOMIC_SEQ_CST);",
            f"__atomic_store_n(&a->r, {self.ref()}, __ATOMIC_SEQ_CST); ref {k} = a->r;",
            f"ref {k} = __atomic_load_n(&root, __ATOMIC_SEQ_CST);"))
        self.out(f"fresh(); x += {k}->n + a->r->n;")

    def hide_in_cast(self):
        o, r = self.pick("a", "b"), self.ref()
        self.out(self.pick(f"*(any_long MANAGED *)&{o}->r = (long){r};",
                           f"store_bits((any_long MANAGED *)&{o}->r, (long)bits_of({r}));",
                           f"*(ref *)(uintptr_t)&{o}->r = {r};",
                           f"*(any_double MANAGED *)&{o}->r = *(any_double MANAGED *)&{o}->s;",
                           f"{o}->p.x = (long){r}; fresh(); {o}->r = (ref){o}->p.x;",
                           f"*(ref MANAGED *)&{o}->p.x = {r}; fresh(); "
                           f"{o}->r = *(ref MANAGED *)&{o}->p.x;"))
        self.out(f"fresh(); x += {o}->r->n;")

    def hide_in_parameters(self):
        self.out(self.pick(f"x += crowd(1, 2, 3, x & 3, 5, 6, {self.box()});",
                           f"x += big_sum((struct big){{{self.ref()}, x & 7, {self.ref()}}});"))

    def hide_in_exclusive_or(self):
        k = self.name("k")
        self.out(f"long {k} = (long)a ^ (long)b; fresh(); a = (ref)({k} ^ (long)b);")

    def statement(self):
        if not self.hidden and self.random.random() < 0.15:
            self.hide()
        super().statement()

    def hide(self):
        self.hidden = True
        self.random.choice([self.hide_in_bits, self.hide_in_union, self.hide_in_variable,
                            self.hide_in_root, self.hide_in_bytes, self.hide_in_copy,
                            self.hide_in_atomics, self.hide_in_cast, self.hide_in_parameters,
                            self.hide_in_exclusive_or])()

    def text(self):
        self.hidden = False
        return super().text()
