/* refused: a structure with references is passed in stack memory that the collector */
/* Structures passed in memory, whose parts are reached by a variable index or a pointer: the
 * parameter stays in memory, and is a root from the first safepoint. Some functions only pass them
 * on. */
#include "spgc/managed.h"

enum { COUNT = 5 };

struct node;
typedef struct node SPGC_MANAGED *node;

struct node {
  const struct spgc_type *type;
  long number;
};

struct nodes {
  node at[COUNT];
};

struct choice {
  struct nodes nodes;
  node chosen;
};

static const struct spgc_type node_type = {.size = sizeof(struct node), .name = "node"};

__attribute__((noinline)) static node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

/* The first safepoint is a poll, or the instrumentation's call. */
__attribute__((noinline)) static long sum(struct nodes nodes, int changed) {
  nodes.at[changed] = make(1);
  long total = 0;
  for (int i = 0; i < COUNT; i++)
    total += nodes.at[i]->number + make(0)->number;
  return total;
}

__attribute__((noinline)) static void renew(node *place) {
  *place = make((*place)->number + 1);
}

__attribute__((noinline)) static struct choice choose(struct nodes nodes, int index) {
  struct choice choice = {nodes, nodes.at[index]};
  renew(&choice.nodes.at[index]);
  renew(&nodes.at[index]);
  choice.chosen = nodes.at[index];
  return choice;
}

__attribute__((noinline)) static long look(struct choice choice, struct nodes nodes, int index) {
  renew(&choice.chosen);
  return choice.chosen->number + choice.nodes.at[index]->number + nodes.at[index]->number;
}

void collect(void);

/* The caller's first safepoint, if inlined before the lowering makes its copies. */
__attribute__((always_inline)) static inline void collect_inline(void) {
  make(-1);
}

__attribute__((noinline)) static long add(struct nodes nodes) {
  long total = 0;
  for (int i = 0; i < COUNT; i++)
    total += nodes.at[i]->number * make(10)->number;
  return total;
}

__attribute__((noinline)) static long forward(struct nodes nodes) {
  collect();
  return add(nodes);
}

__attribute__((noinline)) static long forward_behind_inlined(struct nodes nodes) {
  collect_inline();
  return add(nodes);
}

static long look_at_ends(struct nodes nodes) {
  make(2);
  return nodes.at[0]->number + make(0)->number + nodes.at[COUNT - 1]->number;
}

__attribute__((noinline)) static long only_forward(struct nodes nodes) {
  return look_at_ends(nodes);
}

__attribute__((noinline)) static long tail(struct nodes nodes) {
  collect();
  __attribute__((musttail)) return forward(nodes);
}

static long (*volatile chosen)(struct nodes) = forward;

__attribute__((noinline)) static long indirect(struct nodes nodes) {
  collect();
  return chosen(nodes);
}

__attribute__((noinline)) static long several(long a, struct choice choice, double d,
                                              struct nodes nodes, long b) {
  collect();
  return forward(choice.nodes) - forward(nodes) + choice.chosen->number + a + b + (long)d;
}

__attribute__((noinline)) static long swapped(long a, struct choice choice, double d,
                                              struct nodes nodes, long b) {
  return several(b, choice, d, nodes, a);
}

/* A result in memory is a variable of the outermost caller that asked for it. */
__attribute__((noinline)) static struct nodes same(struct nodes nodes) {
  collect();
  return nodes;
}

__attribute__((noinline)) static struct nodes same_by_same(struct nodes nodes) {
  collect();
  return same(nodes);
}

__attribute__((noinline)) static long forward_place(struct nodes *place) {
  collect();
  *place = same_by_same(*place);
  collect();
  return forward(*place);
}

__attribute__((noinline)) static long recurse(struct nodes nodes, int depth) {
  collect();
  return depth == 0 ? forward(nodes) : recurse(nodes, depth - 1);
}

void collect(void) {
  make(-1);
}

static long pass_on(long i) {
  struct nodes nodes, more;
  for (int k = 0; k < COUNT; k++) {
    nodes.at[k] = make(i + k);
    more.at[k] = make(k);
  }
  struct choice choice = {nodes, make(7)};
  long sum = 10 * (COUNT * i + 10), rest = 10 * COUNT * i;
  long right = forward(nodes) == sum;
  right += forward_behind_inlined(nodes) == sum;
  right += only_forward(nodes) == 2 * i + COUNT - 1;
  right += tail(nodes) == sum;
  right += indirect(nodes) == sum;
  right += swapped(1, choice, 2.5, more, 3) == rest + 7 + 1 + 3 + 2;
  right += forward_place(&nodes) == sum;
  right += recurse(nodes, (int)(i % 3)) == sum;
  return right == 8;
}

long managed_run(long n) {
  long total = 0;
  for (long i = 0; i < n; i++) {
    node kept = make(i);
    struct nodes nodes;
    for (int k = 0; k < COUNT; k++)
      nodes.at[k] = make(k);
    int index = (int)(i % COUNT);
    total += sum(nodes, index) == 11 - index; /* at: 'managed_run' */
    struct choice choice = choose(nodes, index);
    total += look(choice, nodes, index) == 3 * index + 3;
    total += nodes.at[index]->number == index && kept->number == i;
    total += pass_on(i);
  }
  return total;
}
