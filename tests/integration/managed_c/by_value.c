/* Structures that are passed in memory, and whose parts are reached by a variable index or by a
 * pointer: the parameter stays in memory, and is a root from the function's first safepoint on. */
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

/* Its first safepoint is a poll, or the call of the instrumentation. */
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

long managed_run(long n) {
  long total = 0;
  for (long i = 0; i < n; i++) {
    node kept = make(i);
    struct nodes nodes;
    for (int k = 0; k < COUNT; k++)
      nodes.at[k] = make(k);
    int index = (int)(i % COUNT);
    total += sum(nodes, index) == 11 - index;
    struct choice choice = choose(nodes, index);
    total += look(choice, nodes, index) == 3 * index + 3;
    total += nodes.at[index]->number == index && kept->number == i;
  }
  return total;
}
