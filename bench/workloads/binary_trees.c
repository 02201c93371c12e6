/* W1: binary trees, built bottom-up and counted; also by several threads. */
#include <stddef.h>

#include "bench/workloads/memory.h"
#include "bench/workloads/threads.h"
#include "bench/workloads/workload.h"

struct tree {
  OBJECT_HEADER
  struct tree REFERENCE *left, *right;
};

DESCRIBE_OBJECT(tree, left, right);

enum { LEAST_DEPTH = 4 };

static struct tree REFERENCE *build(unsigned depth) {
  struct tree REFERENCE *left = depth == 0 ? NULL : build(depth - 1);
  struct tree REFERENCE *right = depth == 0 ? NULL : build(depth - 1);
  struct tree REFERENCE *tree = NEW(tree);
  tree->left = left;
  tree->right = right;
  return tree;
}

static uint64_t count(const struct tree REFERENCE *tree) {
  return tree == NULL ? 0 : 1 + count(tree->left) + count(tree->right);
}

static void drop(struct tree REFERENCE *tree) {
  if (!MEMORY_IS_EXPLICIT || tree == NULL)
    return;
  drop(tree->left);
  drop(tree->right);
  DROP(tree);
}

static uint64_t build_and_count(unsigned depth) {
  memory_point point = memory_now();
  struct tree REFERENCE *tree = build(depth);
  uint64_t nodes = count(tree);
  drop(tree);
  memory_release(point);
  return nodes;
}

/* Every `threads`th tree of each depth. */
static uint64_t build_share(unsigned thread, unsigned threads, unsigned depth) {
  uint64_t sum = 0;
  for (unsigned d = LEAST_DEPTH; d <= depth; d += 2)
    for (uint64_t tree = thread; tree < UINT64_C(1) << (depth - d + LEAST_DEPTH); tree += threads)
      sum += build_and_count(d);
  return sum;
}

static uint64_t build_all(unsigned threads, unsigned depth) {
  uint64_t sum = build_and_count(depth + 1);
  struct tree REFERENCE *lasting = build(depth);
  sum += threads_sum(build_share, threads, depth);
  sum += count(lasting);
  drop(lasting);
  return sum;
}

static uint64_t run(const uint64_t *arguments) {
  return build_all(1, (unsigned)arguments[0]);
}

static uint64_t run_threads(const uint64_t *arguments) {
  return build_all((unsigned)arguments[0], (unsigned)arguments[1]);
}

const struct workload binary_trees = {
    .name = "w1",
    .parameters = {{"depth", 18, 0, 26}},
    .known = {{{18}, 68332206}, {{20}, 306883246}},
    .run = run,
};

const struct workload binary_trees_threads = {
    .name = "w1t",
    .parameters = {{"threads", 2, 1, THREADS_MOST}, {"depth", 18, 0, 26}},
    .known = {{{2, 18}, 68332206}, {{4, 18}, 68332206}},
    .run = run_threads,
};
