/* W2: GCBench: trees built top-down and bottom-up beside a long-lived tree and a long-lived array.
 */
#include <stddef.h>

#include "bench/workloads/memory.h"
#include "bench/workloads/workload.h"

struct node {
  OBJECT_HEADER
  struct node REFERENCE *left, *right;
  int32_t i, j;
};

struct numbers {
  ARRAY_HEADER
  double items[];
};

DESCRIBE_OBJECT(node, left, right);
DESCRIBE_DATA_ARRAY(numbers);

enum { LEAST_DEPTH = 4, SAMPLED = 1000 };

static struct node REFERENCE *new_node(struct node REFERENCE *left, struct node REFERENCE *right) {
  struct node REFERENCE *node = NEW(node);
  node->left = left;
  node->right = right;
  node->i = node->j = 0;
  return node;
}

static void populate(unsigned depth, struct node REFERENCE *node) {
  if (depth == 0)
    return;
  node->left = new_node(NULL, NULL);
  node->right = new_node(NULL, NULL);
  populate(depth - 1, node->left);
  populate(depth - 1, node->right);
}

static struct node REFERENCE *build_top_down(unsigned depth) {
  struct node REFERENCE *root = new_node(NULL, NULL);
  populate(depth, root);
  return root;
}

static struct node REFERENCE *build_bottom_up(unsigned depth) {
  struct node REFERENCE *left = depth == 0 ? NULL : build_bottom_up(depth - 1);
  struct node REFERENCE *right = depth == 0 ? NULL : build_bottom_up(depth - 1);
  return new_node(left, right);
}

static uint64_t count(const struct node REFERENCE *node) {
  return node == NULL ? 0 : 1 + count(node->left) + count(node->right);
}

static void drop(struct node REFERENCE *node) {
  if (!MEMORY_IS_EXPLICIT || node == NULL)
    return;
  drop(node->left);
  drop(node->right);
  DROP(node);
}

static uint64_t check_and_drop(struct node REFERENCE *node) {
  uint64_t grown = node->left != NULL;
  drop(node);
  return grown;
}

static uint64_t check_bottom_up(unsigned depth) {
  memory_point point = memory_now();
  uint64_t grown = check_and_drop(build_bottom_up(depth));
  memory_release(point);
  return grown;
}

static uint64_t check_top_down(unsigned depth) {
  memory_point point = memory_now();
  uint64_t grown = check_and_drop(build_top_down(depth));
  memory_release(point);
  return grown;
}

static uint64_t size(unsigned depth) {
  return (UINT64_C(1) << (depth + 1)) - 1;
}

static struct numbers REFERENCE *reciprocals(uint64_t length) {
  struct numbers REFERENCE *numbers = NEW_DATA_ARRAY(numbers, length);
  for (uint64_t i = 1; i < length / 2; i++)
    numbers->items[i] = 1.0 / (double)i;
  return numbers;
}

static uint64_t repetition(unsigned stretch_depth, unsigned lasting_depth, uint64_t length) {
  uint64_t sum = check_bottom_up(stretch_depth);
  memory_point point = memory_now();
  struct node REFERENCE *lasting = build_top_down(lasting_depth);
  struct numbers REFERENCE *numbers = reciprocals(length);
  for (unsigned d = LEAST_DEPTH; d <= lasting_depth; d += 2) {
    uint64_t trees = 2 * size(stretch_depth) / size(d);
    for (uint64_t i = 0; i < trees; i++)
      sum += check_top_down(d);
    for (uint64_t i = 0; i < trees; i++)
      sum += check_bottom_up(d);
  }
  sum += count(lasting) + (uint64_t)(numbers->items[SAMPLED] * 1e6 + 0.5);
  drop(lasting);
  DROP(numbers);
  memory_release(point);
  return sum;
}

static uint64_t run(const uint64_t *arguments) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < arguments[3]; i++)
    sum += repetition((unsigned)arguments[0], (unsigned)arguments[1], arguments[2]);
  return sum;
}

const struct workload gcbench = {
    .name = "w2",
    .parameters = {{"stretch-depth", 18, 1, 26},
                   {"lasting-depth", 16, 1, 26},
                   {"array-length", 500000, 2 * SAMPLED + 2, UINT32_MAX},
                   {"repetitions", 5, 1, UINT32_MAX}},
    .known = {{{18, 16, 500000, 5}, 1108480}},
    .run = run,
};
