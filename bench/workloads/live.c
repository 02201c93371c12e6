/* A tree, a hash map and arrays of numbers. Random entries of the map and arrays are replaced while
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
  struct entry REFERENCE *next; /* of its bucket */
  struct tree REFERENCE *part;  /* of the lasting tree */
  uint32_t key, value;
};

struct map {
  ARRAY_HEADER
  struct entry REFERENCE *items[]; /* buckets, 2^bits of them */
};

struct numbers {
  ARRAY_HEADER
  uint32_t items[];
};

struct table {
  ARRAY_HEADER
  struct numbers REFERENCE *items[];
};

DESCRIBE_OBJECT(tree, left, right);
DESCRIBE_OBJECT(entry, next, part);
DESCRIBE_REFERENCE_ARRAY(map);
DESCRIBE_DATA_ARRAY(numbers);
DESCRIBE_REFERENCE_ARRAY(table);

enum { SHORT_DEPTH = 4, ARRAY_PERIOD = 64, LEAST_LENGTH = 512, LENGTHS = 7168 };

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

static uint32_t length_for(uint32_t x) {
  return LEAST_LENGTH + x % LENGTHS;
}

static struct numbers REFERENCE *new_numbers(uint32_t x) {
  struct numbers REFERENCE *numbers = NEW_DATA_ARRAY(numbers, length_for(x));
  for (uint32_t i = 0; i < length_for(x); i++)
    numbers->items[i] = x + i;
  return numbers;
}

static uint32_t bucket_of(uint32_t key, unsigned bits) {
  return bits == 0 ? 0 : key * UINT32_C(2654435769) >> (32 - bits);
}

static struct entry REFERENCE *new_entry(struct entry REFERENCE *next, struct tree REFERENCE *part,
                                         uint32_t key, uint32_t value) {
  struct entry REFERENCE *entry = NEW(entry);
  entry->next = next;
  entry->part = part;
  entry->key = key;
  entry->value = value;
  return entry;
}

static struct map REFERENCE *fill_map(unsigned bits, struct tree REFERENCE *tree) {
  struct map REFERENCE *map = NEW_REFERENCE_ARRAY(map, UINT64_C(1) << bits);
  for (uint32_t key = 0; key < UINT32_C(1) << bits; key++) {
    struct entry REFERENCE *entry = new_entry(map->items[bucket_of(key, bits)], tree, key, 0);
    map->items[bucket_of(key, bits)] = entry;
  }
  return map;
}

static struct table REFERENCE *fill_table(unsigned bits) {
  struct table REFERENCE *table = NEW_REFERENCE_ARRAY(table, UINT64_C(1) << bits);
  for (uint32_t i = 0, x = RANDOM_SEED; i < UINT32_C(1) << bits; i++) {
    struct numbers REFERENCE *numbers = new_numbers(x = random_after(x));
    table->items[i] = numbers;
  }
  return table;
}

/* The entry moves from its part of the tree to a child, or to the root again. */
static struct entry REFERENCE *successor(const struct entry REFERENCE *old, uint32_t x,
                                         struct tree REFERENCE *root) {
  struct tree REFERENCE *brief = build(SHORT_DEPTH);
  uint32_t nodes = count(brief);
  drop(brief);
  struct tree REFERENCE *part = (x >> 31) != 0 ? old->part->left : old->part->right;
  return new_entry(old->next, part == NULL ? root : part, old->key, old->value + nodes);
}

static void replace(struct map REFERENCE *map, unsigned bits, uint32_t x,
                    struct tree REFERENCE *root) {
  uint32_t key = x & ((UINT32_C(1) << bits) - 1), bucket = bucket_of(key, bits);
  struct entry REFERENCE *before = NULL, *old = map->items[bucket];
  while (old->key != key) {
    before = old;
    old = old->next;
  }
  struct entry REFERENCE *entry = successor(old, x, root);
  if (before == NULL)
    map->items[bucket] = entry;
  else
    before->next = entry;
  DROP(old);
}

static uint32_t replace_numbers(struct table REFERENCE *table, unsigned bits, uint32_t x) {
  uint32_t i = x & ((UINT32_C(1) << bits) - 1);
  struct numbers REFERENCE *old = table->items[i];
  uint32_t sample = old->items[x % LEAST_LENGTH];
  struct numbers REFERENCE *numbers = new_numbers(x);
  table->items[i] = numbers;
  DROP(old);
  return sample;
}

static uint32_t end_map(struct map REFERENCE *map, unsigned bits) {
  uint32_t h = 0;
  for (uint32_t i = 0; i < UINT32_C(1) << bits; i++)
    for (struct entry REFERENCE *entry = map->items[i], *next; entry != NULL; entry = next) {
      h = h * 31 + (entry->key ^ entry->value) + (entry->part->left == NULL);
      next = entry->next;
      DROP(entry);
    }
  DROP(map);
  return h;
}

static uint32_t end_table(struct table REFERENCE *table, unsigned bits) {
  uint32_t h = 0;
  for (uint32_t i = 0; i < UINT32_C(1) << bits; i++) {
    h = h * 31 + table->items[i]->items[LEAST_LENGTH - 1];
    DROP(table->items[i]);
  }
  DROP(table);
  return h;
}

static uint64_t run(const uint64_t *arguments) {
  unsigned entry_bits = (unsigned)arguments[0], array_bits = (unsigned)arguments[2];
  uint32_t x = RANDOM_SEED, sum = 0;
  struct tree REFERENCE *tree = build((unsigned)arguments[1]);
  struct map REFERENCE *map = fill_map(entry_bits, tree);
  struct table REFERENCE *table = fill_table(array_bits);
  stall_begin();
  for (uint64_t k = 1; k <= arguments[3]; k++) {
    x = random_after(x);
    replace(map, entry_bits, x, tree);
    if (k % ARRAY_PERIOD == 0)
      sum += replace_numbers(table, array_bits, x);
    if (k % STALL_OPERATIONS == 0)
      stall_step();
  }
  sum = (sum * 31 + end_map(map, entry_bits)) * 31 + end_table(table, array_bits);
  sum += count(tree);
  drop(tree);
  return sum;
}

const struct workload live = {
    .name = "live",
    .parameters = {{"entries-log2", 23, 0, 28},
                   {"depth", 23, 1, 26},
                   {"arrays-log2", 14, 0, 20},
                   {"operations", 5000000, 0, UINT32_MAX}},
    .known = {{{23, 23, 14, 5000000}, 333434418}},
    .run = run,
};
