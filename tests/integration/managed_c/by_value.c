/* Structures by value. A result in memory is a root in the outermost function that asked for it. */
#include "spgc/managed.h"

enum { COUNT = 5 };

struct node;
typedef struct node SPGC_MANAGED *node;

struct node {
  const struct spgc_type *type;
  long number;
};

struct pair {
  node first, second;
};

struct mixed {
  long number;
  node node;
};

struct nodes {
  node at[COUNT];
};

static const struct spgc_type node_type = {.size = sizeof(struct node), .name = "node"};

__attribute__((noinline)) static node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

__attribute__((noinline)) static struct pair swap(struct pair pair) {
  struct pair swapped = {pair.second, pair.first};
  make(-1);
  return swapped;
}

__attribute__((noinline)) static struct mixed more(struct mixed mixed, struct pair pair) {
  make(-1);
  mixed.number += pair.first->number;
  mixed.node = make(mixed.node->number + pair.second->number);
  return mixed;
}

__attribute__((noinline)) static void renew(node *place) {
  *place = make((*place)->number + 1);
}

__attribute__((noinline)) static struct nodes many(long first) {
  struct nodes nodes;
  for (int i = 0; i < COUNT; i++)
    nodes.at[i] = make(first + i);
  renew(&nodes.at[first % COUNT]);
  return nodes;
}

__attribute__((noinline)) static struct nodes again(long first) {
  struct nodes nodes = many(first);
  make(-1);
  nodes.at[0] = make(nodes.at[0]->number);
  return nodes;
}

static struct pair (*volatile chosen)(struct pair) = swap;

long managed_run(long n) {
  long right = 0;
  for (long i = 0; i < n; i++) {
    struct pair pair = chosen(swap((struct pair){make(i), make(i + 1)}));
    right += pair.first->number == i && pair.second->number == i + 1;
    struct mixed mixed = more((struct mixed){i, make(7)}, swap(pair));
    right += mixed.number == 2 * i + 1 && mixed.node->number == 7 + i;
    struct nodes nodes = again(i);
    long sum = 0;
    for (int k = 0; k < COUNT; k++)
      sum += nodes.at[(i + k) % COUNT]->number + make(0)->number;
    right += sum == COUNT * i + 10 + 1;
  }
  return right;
}
