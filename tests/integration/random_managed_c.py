"""Random C programs with references: structures, unions, arrays, pointers into objects, their
differences and order, copies of words, roots, functions that take and return structures, tail calls
with these, addresses in the conditions of loops, leaves with ordinary pointers. Compiled
with references as pointers of address space 1, or as ordinary pointers for a program on malloc,
they print the same number."""
import random

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
struct value { long tag; union { ref r; long i; double d; } u; };
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

static ref root;
static struct box root_box;
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
            self.out(self.pick("fresh();", "fresh();", "fresh();",
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
                           f"x += (uintptr_t){o} & 7;", f"x += {o} == {p};"))

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
            self.copy_in_fresh, self.copy_local, self.pass_wide, self.make_value,
            self.copy_point,
                 self.copy_entries, self.roots, self.pointers, self.pointers, self.casts, self.walk,
                 self.conditions, self.conditions, self.leaves, self.leaves, self.call, self.pause]
        if self.depth < 2:
            kinds += [self.block, self.block]
        self.random.choice(kinds)()

    def text(self):
        parts = [PROLOGUE]
        for self.function in range(5):
            self.lines, self.depth = [], 0
            for _ in range(self.random.randrange(4, 12)):
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
