"""Random C programs with references: structures, unions, arrays, pointers into objects, their
differences and order, copies of words and arithmetic with them, moves in variables, roots,
functions that take and return structures, or that read and write them through ordinary pointers,
tail calls, addresses in the conditions of loops, leaves with ordinary pointers. Compiled with
references as pointers of address space 1, or as ordinary pointers for a program on malloc, they
print the same number."""
import random
import re

PROLOGUE = r"""
#include <string.h>
#include <stddef.h>
#include "spgc/type.h"
#ifdef ON_MALLOC
#define MANAGED
#define LEAF
#else
#define MANAGED __attribute__((address_space(1)))
#define LEAF __attribute__((annotate("gc-leaf-function")))
#endif
#define OFFSET(type, field) ((uint32_t)offsetof(type, field))
void MANAGED *spgc_allocate(const struct spgc_type *type);
void MANAGED *spgc_allocate_array(const struct spgc_type *type, uint64_t length);

struct node;
typedef struct node MANAGED *ref;

struct box { ref r; };
union word { ref r; long i; double d; };
struct value { long tag; union word u; };
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

struct words { const struct spgc_type *type; union word a, b; };
typedef struct words MANAGED *words;
static const uint32_t words_references[] = {OFFSET(struct words, a), OFFSET(struct words, b)};
static const struct spgc_type words_type = {.size = sizeof(struct words), .reference_count = 2,
                                            .reference_offsets = words_references,
                                            .name = "words"};

static ref root;
static void MANAGED *last;
static struct box root_box, root_boxes[4];
static union word root_words[4];

struct both { union word first, second; };
typedef unsigned __int128 wide_word __attribute__((aligned(8), may_alias));
typedef long word_pair __attribute__((vector_size(16), aligned(8), may_alias));
static struct both root_boths[4];
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
  o->v = (struct value){1, {.r = o}};
  o->w = (struct value){0, {.i = x & 7}};
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

static volatile long no_tag; /* 0 */

static long value_sum(struct value v) {
  return v.tag ? v.u.r->n + v.u.r->m : v.u.i;
}

__attribute__((noinline)) static struct value value_pass(struct value v) {
  churn();
  return v;
}

__attribute__((noinline)) static struct box box_pass(struct box b) {
  churn();
  return b;
}

/* Passed and returned in memory. Those that forward have no other sign of references. */
struct wide { ref a; long n; ref b; struct box c; };

__attribute__((noinline)) static long wide_sum(struct wide w) {
  churn();
  return w.a->n + w.n + w.b->m + w.c.r->n;
}

static long wide_forward(struct wide w) {
  churn();
  return wide_sum(w);
}

__attribute__((noinline)) static long wide_twice(struct wide w, long x, struct wide v) {
  churn();
  return wide_forward(v) - x * wide_sum(w);
}

__attribute__((noinline)) static struct wide wide_pass(struct wide w) {
  churn();
  return w;
}

__attribute__((noinline)) static struct wide wide_pass_on(struct wide w) {
  churn();
  return wide_pass(w);
}

/* Tail calls of themselves. The second passes its structure on as it is. */
static long wide_turn(struct wide w, long depth) {
  churn();
  return depth <= 0 ? wide_sum(w) : wide_turn((struct wide){w.b, w.n + 1, w.a, w.c}, depth - 1);
}

__attribute__((noinline)) static long wide_down(struct wide w, long depth) {
  static volatile long a, b, c, d;
  a = b + c * d, b = c + d, c = a + b * d, d = a - b;
  fresh();
  return depth <= 0 ? wide_sum(w) : wide_down(w, depth - 1);
}

/* No register is left for the last parameters. The first function calls itself at its end. */
__attribute__((noinline)) static long crowded_turn(long a, long b, long c, long d, long e,
                                                   long left, struct box f, union word g) {
  if (left <= 0)
    return a + b * 3 + f.r->n + (g.i & 1 ? g.i >> 1 : g.r->m);
  if (left & 1)
    churn();
  return crowded_turn(b, c, d, e, a + 1, left - 1, left & 2 ? f : f.r->b, g);
}

__attribute__((noinline)) static union word crowded_pass(long a, long b, long c, long d, long e,
                                                         double f, long g, union word h) {
  churn();
  return a > b ? h : (union word){.i = (c ^ d ^ e ^ g ^ (long)f) * 2 + 1};
}

static union word (*volatile crowded)(long a, long b, long c, long d, long e, double f, long g,
                                      union word h) = crowded_pass;

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

LEAF __attribute__((const)) static uintptr_t leaf_address(ref o) {
  return (uintptr_t)o;
}

LEAF __attribute__((const, noinline)) static uintptr_t leaf_field(ref o) {
  return (uintptr_t)&o->m;
}

__attribute__((noinline)) static long tail_walk(ref o, long n, long sum) {
  uintptr_t at = (uintptr_t)o;
  if (n <= 0)
    return sum;
  return tail_walk(n & 1 ? o->r : o->s, n - 1, sum + (long)((uintptr_t)&o->s - at));
}

__attribute__((noinline)) static long wide_place(struct wide *place) {
  churn();
  *place = wide_pass_on(*place);
  churn();
  return wide_forward(*place);
}
"""

# Functions that are given ordinary pointers to holders of references. Each program inlines others
# of them: ANY stands for one of the ways, SOME for one that is no leaf, NUMBER and PLAIN for these
# without always_inline, which leads to R11 where a number in a union stays in memory. A word by
# itself is a reference or an odd number.
ACCESSORS = r"""
ANY void box_copy(struct box *to, const struct box *from) { *to = *from; }
ANY ref box_get(const struct box *from) { return from->r; }
ANY void box_set(struct box *to, ref r) { to->r = r; }
ANY void box_swap(struct box *a, struct box *b) { struct box c = *a; *a = *b; *b = c; }
SOME void box_load(struct box *to, ref from) { *to = from->b; }
SOME void box_save(ref to, const struct box *from) { to->c = *from; }

ANY void word_copy(union word *to, const union word *from) { *to = *from; }
SOME uintptr_t word_pass(uintptr_t bits) { return bits; }
SOME uintptr_t word_told(ref r) { return (uintptr_t)r; }
NUMBER long word_get(const union word *from) { return from->i; }
NUMBER void word_set(union word *to, long bits) { to->i = bits; }
ANY void word_set_ref(union word *to, ref r) { to->r = r; }
NUMBER void word_set_number(union word *to, long x) { to->i = x * 2 + 1; }
NUMBER int word_is_number(const union word *from) { return from->i & 1; }
NUMBER long word_n(const union word *from) { return from->i & 1 ? from->i >> 1 : from->r->n; }
SOME void word_put(ref to, long bits) { to->v.tag = 1; to->v.u.i = bits; }
PLAIN void word_put_twice(ref to, const union word *from) {
  if (from->i & 1)
    return;
  to->v.tag = 1;
  to->v.u.i = from->i;
  fresh();
  to->w.tag = 1;
  to->w.u.i = from->i;
}

ANY void value_copy(struct value *to, const struct value *from) { *to = *from; }
NUMBER long value_get(const struct value *from) { return from->tag ? from->u.r->n : from->u.i; }
NUMBER void value_set_number(struct value *to, long x) { to->tag = 0; to->u.i = x; }
NUMBER void value_set_real(struct value *to, double x) { to->tag = 0; to->u.d = x; }
ANY void value_set_ref(struct value *to, ref r) { to->tag = 1; to->u.r = r; }
SOME void value_load(struct value *to, ref from) { *to = from->v; }
SOME void value_save(ref to, const struct value *from) { to->w = *from; }

NUMBER void both_copy(struct both *to, const struct both *from) {
  *(word_pair *)to = *(const word_pair *)from;
}
NUMBER wide_word both_get(const struct both *from) { return *(const wide_word *)from; }
NUMBER void both_set(struct both *to, wide_word bits) { *(wide_word *)to = bits; }
ANY void both_set_refs(struct both *to, ref a, ref b) { to->first.r = a; to->second.r = b; }
NUMBER void both_set_number(struct both *to, long x) { to->second.i = x * 2 + 1; }
NUMBER long both_n(const struct both *from) {
  word_pair pair = *(const word_pair *)from;
  return ((pair[0] | pair[1]) & 1) + from->first.r->n
         + (from->second.i & 1 ? from->second.i : from->second.r->m);
}
"""

ROOTS = {"box": "root_boxes", "word": "root_words", "value": "root_values", "both": "root_boths"}
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
        self.out(self.pick(f"{to} = {source};", f"memcpy(&{to}, &{source}, sizeof(struct box));",
                           f"memmove(&{to}, &{source}, (size_t)(1 + (x & 0)) * 8);"))
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
            used = self.pick(f"value_sum({k})", f"({k}.tag ? 1 : {k}.u.i)",
                             f"({k}.tag ? {k}.u.r->n : 2)")
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
        self.out(self.pick(f"x += wide_forward({k});", f"x ^= wide_twice({k}, y & 3, {l});",
                           f"{l} = wide_pass_on({k});", f"y += wide_place(&{k});",
                           f"x += wide_turn({k}, y & 7);", f"x += wide_down({l}, y & 7);"))
        self.pause()
        self.out(f"{self.pick('a', 'b', 'c')} = {self.pick(k, l)}.{self.pick('a', 'b', 'c.r')};")

    def pass_crowded(self):
        k = self.name("k")
        word = self.pick(f".r = {self.ref()}", f".i = ({self.number()} & 63) * 2 + 1")
        self.out(f"union word {k} = {{{word}}};")
        self.pause()
        self.out(self.pick(
            f"x += crowded_turn(1, x & 7, y & 3, 2, 5, y & 7, {self.box()}, {k});",
            f"{k} = {self.pick('crowded', 'crowded_pass')}(x & 7, y & 7, 3, 4, 5, 0.5, x & 3, "
            f"{k});"))
        self.pause()
        self.out(f"x += word_n(&{k});")

    def make_value(self):
        self.out(self.pick(f"{self.value()} = (struct value){{1, {{.r = {self.ref()}}}}};",
                           f"{self.value()} = (struct value){{0, {{.i = {self.number()} & "
                           f"255}}}};"))

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
                           f"{self.value()};", f"root_values[{i}].u.r = {self.ref()}; "
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
                           f"x += (uintptr_t){o} & 7;", f"x += {o} == {p};",
                           *2 * (f"{o} = (ref)word_pass((uintptr_t){p});",
                                 f"{o} = (ref)(x & 1 ? word_pass((uintptr_t){o}) "
                                 f": word_told({p}));")))

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

    def conditions(self):
        """Numbers of the round, from the condition of a loop."""
        p, at, i = self.name("p"), self.name("at"), self.name("i")
        condition = self.pick(f"({at} = (uintptr_t){p}) != 0", f"({at} = leaf_address({p})) != 0",
                              f"({at} = (uintptr_t){p}) != 0 && leaf_at({p}->l, {i}) != -{i} - 9")
        self.out(f"ref {p} = {self.ref()};")
        self.out(f"uintptr_t {at};")
        self.out(f"for (long {i} = y & 3; {condition} && {i} < {self.random.randrange(3, 9)}; "
                 f"{i}++) {{")
        self.depth += 1
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
                           f"y += leaf_at({o}->l, x);", f"x += tail_walk({o}, y & 7, 0);"))
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
        type_name = f"{'union' if kind == 'word' else 'struct'} {kind}"
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
            o, p = self.ref(), self.pick("a", "b", "c")
            return (f"word_copy(&{to}, &{source});", f"word_set(&{to}, word_get(&{source}));",
                    f"{to}.i = word_get(&{source});", f"word_set(&{to}, {source}.i);",
                    f"{to}.i = {source}.i;", f"word_set_ref(&{to}, {self.ref()});",
                    f"word_set_number(&{to}, {self.number()} & 63);",
                    f"word_set_ref(&{to}, {self.ref()});" if self.alone
                    else f"word_set(&{to}, (long){self.ref()});",
                    f"if ({o}->v.tag) word_set(&{to}, {p}->v.tag ? {p}->v.u.i : 1);",
                    f"if (!word_is_number(&{source})) word_put({p}, word_get(&{source}));",
                    f"if (!word_is_number(&{source})) {{ fresh(); {p}->v.tag = 1; "
                    f"{p}->v.u.i = word_get(&{source}); }}",
                    f"if (!word_is_number(&{source})) {{ fresh(); {p} = {source}.r; }}",
                    f"word_put_twice({p}, &{source});", self.put_in_fresh(source),
                    self.put_in_fresh(source))
        self.by_pointers("word", first, steps, lambda k: f"x += word_n(&{k});")

    def put_in_fresh(self, source):
        p, q = self.name("p"), self.name("p")
        number = self.pick(f"word_get(&{source})", f"{source}.i")
        return (f"if (!word_is_number(&{source})) {{ words {p} = spgc_allocate(&words_type); "
                f"{p}->a.i = {number}; {self.pick('', 'last = ')}spgc_allocate(&words_type); "
                f"words {q} = spgc_allocate(&words_type); {q}->a.i = {number}; fresh(); "
                f"x += {p}->a.r->n - {q}->a.r->m; }}")

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

    def change_bits(self):
        """Words that are references again after arithmetic, in objects that may be old."""
        p, w, t = self.name("p"), self.name("w"), self.name("t")
        changed = self.pick(f"{w} & ~{t}", f"{w} | {t}", f"{w} ^ {t}", f"{w} - ({w} & 7 & {t})",
                            f"{w} + ({t} == 5)", f"{w} - ({t} != 0)",
                            f"(long)((unsigned long){w} << (16 - {t})) >> 16",
                            f"{w} ^ (({w} ^ {t}) & -({t} == 5))", f"{w} & -({t} == 0)")
        self.out(f"words {p} = spgc_allocate(&words_type); {p}->b.r = {self.ref()};")
        self.out("fresh();")
        self.pause()
        self.out(f"{{ ref k = node_make({self.number()} & 63); long {t} = no_tag; "
                 f"{p}->b.r = k; long {w} = {p}->b.i; {p}->a.i = {changed}; }}")
        self.out("fresh();")
        self.out(f"x += {p}->a.r->n - {p}->b.r->m;")

    def access_values(self):
        def first(k):
            return self.pick(f"value_set_ref(&{k}, {self.ref()});", f"value_load(&{k}, "
                             f"{self.ref()});", f"value_set_number(&{k}, {self.number()} & 63);",
                             f"value_copy(&{k}, &root_values[{self.index()}]);",
                             f"if (x & 1) value_load(&{k}, {self.ref()}); "
                             f"else value_set_real(&{k}, 0.0);")

        def steps(to, source):
            return (f"value_copy(&{to}, &{source});", f"value_copy(&{to}, &{source});",
                    f"x += value_get(&{source});", f"value_set_ref(&{to}, {self.ref()});",
                    f"value_set_number(&{to}, {self.number()} & 63);",
                    f"value_set_real(&{to}, 1.5); value_set_number(&{to}, x & 7);",
                    f"value_load(&{to}, {self.ref()});", f"value_save({self.ref()}, &{source});",
                    f"value_save({self.ref()}, &{source});", f"x += value_sum({source});")
        self.by_pointers("value", first, steps, lambda k: f"x += value_get(&{k});")

    def access_boths(self):
        def first(k):
            return self.pick(f"both_set_refs(&{k}, {self.ref()}, {self.ref()});",
                             f"both_set(&{k}, both_get(&root_boths[{self.index()}]));")

        def steps(to, source):
            o, p = self.name("p"), self.name("p")
            return (f"both_copy(&{to}, &{source});", f"both_copy(&{to}, &{source});",
                    f"both_set(&{to}, both_get(&{source}));",
                    f"*(wide_word *)&{to} = both_get(&{source});",
                    f"both_set(&{to}, *(wide_word *)&{source});",
                    f"both_set_refs(&{to}, {self.ref()}, {self.ref()});",
                    f"both_set_number(&{to}, {self.number()} & 63);",
                    f"a = (ref)(*(word_pair *)&{source})[0];",
                    f"words {p} = spgc_allocate(&words_type); "
                    f"*(wide_word MANAGED *)&{p}->a = both_get(&{source}); fresh(); "
                    f"words {o} = spgc_allocate(&words_type); "
                    f"*(word_pair MANAGED *)&{o}->a = *(word_pair MANAGED *)&{p}->a; fresh(); "
                    f"x += {o}->a.r->n; both_set(&{to}, *(wide_word MANAGED *)&{o}->a);")
        self.by_pointers("both", first, steps, lambda k: f"x += both_n(&{k});")

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
            self.make_value, self.shift_items, self.change_bits,
            self.copy_point,
                 self.copy_entries, self.roots, self.pointers, self.pointers, self.casts, self.walk,
                 self.conditions, self.conditions, self.leaves, self.leaves, self.call, self.pause,
                 self.access_boxes, self.access_boxes, self.access_words, self.access_words,
                 self.access_values, self.access_values, self.access_boths]
        if self.alone:
            kinds = [self.assign, self.pause, *3 * [self.alone]]
        if self.depth < 2 and not self.alone:
            kinds += [self.block, self.block]
        self.random.choice(kinds)()

    def accessors(self):
        plain = [way for way in WAYS if "always_inline" not in way]
        if self.random.random() < 0.2:
            plain = WAYS
        ways = {"ANY": (*WAYS, *LEAF_WAYS), "SOME": WAYS, "NUMBER": (*plain, *LEAF_WAYS),
                "PLAIN": plain}
        return re.sub(r"^[A-Z]+\b", lambda word: self.pick(*ways[word.group()]), ACCESSORS,
                      flags=re.MULTILINE)

    def text(self):
        parts = [PROLOGUE, self.accessors()]
        self.in_roots = self.random.random() < 0.3
        # Where a program hides no other word, the optimiser knows most of its calls.
        self.alone = self.pick(None, None, self.access_boxes, self.access_words,
                               self.access_values, self.access_boths)
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
    root_boxes[i].r = root_words[i].r = root;
    root_values[i] = root->v;
    root_boths[i].first.r = root_boths[i].second.r = root;
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
