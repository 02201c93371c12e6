/* A depth-first walk whose stack is a local array: a loop computes the places in it. */
#include "spgc/managed.h"

struct node {
  const struct spgc_type *type;
  struct node SPGC_MANAGED *left, *middle, *right;
  long value;
};

typedef struct node SPGC_MANAGED *node;

static const uint32_t references[] = {SPGC_OFFSET(struct node, left),
                                      SPGC_OFFSET(struct node, middle),
                                      SPGC_OFFSET(struct node, right)};
static const struct spgc_type node_type = {.size = sizeof(struct node),
                                           .reference_count = 3,
                                           .reference_offsets = references,
                                           .name = "node"};

static node build(long value, long last) {
  if (value > last)
    return (node)0;
  node left = build(3 * value - 1, last), middle = build(3 * value, last),
       right = build(3 * value + 1, last);
  node made = spgc_allocate(&node_type);
  made->left = left;
  made->middle = middle;
  made->right = right;
  made->value = value;
  return made;
}

enum { MOST_WAITING = 64 };

static long sum(node root) {
  node waiting[MOST_WAITING];
  long found = 0;
  int count = 0;
  waiting[count++] = root;
  while (count != 0) {
    node next = waiting[--count];
    if (next == (node)0)
      continue;
    found += next->value;
    if (count < MOST_WAITING - 3) {
      waiting[count++] = next->left;
      waiting[count++] = next->middle;
      waiting[count++] = next->right;
    }
  }
  return found;
}

long managed_run(long n) {
  return sum(build(1, n));
}
