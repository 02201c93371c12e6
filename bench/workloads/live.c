/* Live: much that lives, and little of it changing: a tree, and a table of entries that are replaced at random while
 * short-lived trees come and go. With the standard sizes about 1 GB lives. */
#include <stddef.h>

#include "bench/workloads/memory.h"
#include "bench/workloads/random.h"
#include "bench/workloads/stall.h"
#include "bench/workloads/workload.h"

struct tree {
  OBJECT_HEADER
  struct tree REFERENCE *left, *right;
};

struct entry {
  OBJECT_HEADER
  struct tree REFERENCE *part; /* of the lasting tree */
  uint32_t key, value;
};

struct table {
  ARRAY_HEADER
  struct entry REFERENCE *items[];
};

DESCRIBE_OBJECT(tree, left, right);
DESCRIBE_OBJECT(entry, part);
DESCRIBE_REFERENCE_ARRAY(table);

enum { SHORT_DEPTH = 4 };

static struct tree REFERENCE *build(unsigned depth) {
  struct tree REFERENCE *left = depth == 0 ? NULL : build(depth - 1);
  struct tree REFERENCE *right = depth == 0 ? NULL : build(depth - 1);
  struct tree REFERENCE *tree = NEW(tree);
  tree->left = left;
  tree->right = right;
  return tree;
}

static uint32_t count(const struct tree REFERENCE *tree) {
  return tree == NULL ? 0 : 1 + count(tree->left) + count(tree->right);
}

static void drop(struct tree REFERENCE *tree) {
  if (!MEMORY_IS_EXPLICIT || tree == NULL)
    return;
  drop(tree->left);
  drop(tree->right);
  DROP(tree);
}

static struct entry REFERENCE *new_entry(struct tree REFERENCE *part, uint32_t key, uint32_t value) {
  struct entry REFERENCE *entry = NEW(entry);
  entry->part = part;
  entry->key = key;
  entry->value = value;
  return entry;
}

static struct table REFERENCE *fill(uint32_t length, struct tree REFERENCE *tree) {
  struct table REFERENCE *table = NEW_REFERENCE_ARRAY(table, length);
  for (uint32_t i = 0; i < length; i++)
    table->items[i] = new_entry(tree, i, 0);
  return table;
}

/* The entry goes on from its part of the tree to one of that part's children, or to the root again. */
static uint32_t replace(struct table REFERENCE *table, uint32_t slot, uint32_t x, struct tree REFERENCE *root) {
  struct tree REFERENCE *brief = build(SHORT_DEPTH);
  uint32_t nodes = count(brief);
  drop(brief);
  struct entry REFERENCE *old = table->items[slot];
  struct tree REFERENCE *part = (x >> 31) != 0 ? old->part->left : old->part->right;
  table->items[slot] = new_entry(part == NULL ? root : part, old->key, old->value + nodes);
  DROP(old);
  return nodes;
}

static uint32_t checksum(const struct table REFERENCE *table, uint32_t length) {
  uint32_t h = 0;
  for (uint32_t i = 0; i < length; i++) {
    const struct entry REFERENCE *entry = table->items[i];
    h = h * 31 + (entry->key ^ entry->value) + (entry->part->left == NULL);
  }
  return h;
}

static uint64_t run(const uint64_t *arguments) {
  uint32_t length = UINT32_C(1) << arguments[0], operations = (uint32_t)arguments[2], x = RANDOM_SEED, sum = 0;
  struct tree REFERENCE *tree = build((unsigned)arguments[1]);
  struct table REFERENCE *table = fill(length, tree);
  stall_begin();
  for (uint32_t k = 1; k <= operations; k++) {
    x = random_after(x);
    sum += replace(table, x & (length - 1), x, tree);
    if (k % STALL_OPERATIONS == 0)
      stall_step();
  }
  sum = sum * 31 + checksum(table, length) + count(tree);
  for (uint32_t i = 0; MEMORY_IS_EXPLICIT && i < length; i++)
    DROP(table->items[i]);
  DROP(table);
  drop(tree);
  return sum;
}

const struct workload live = {
    .name = "live",
    .parameters = {{"entries-log2", 24, 0, 28}, {"depth", 23, 1, 26}, {"operations", 5000000, 0, UINT32_MAX - 1}},
    .run = run,
};
