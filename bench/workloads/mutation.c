/* W3: mutation: short lists in a large array, replaced and cut at random places. */
#include <stddef.h>

#include "bench/workloads/memory.h"
#include "bench/workloads/random.h"
#include "bench/workloads/stall.h"
#include "bench/workloads/workload.h"

struct node {
  OBJECT_HEADER
  struct node REFERENCE *next;
  uint32_t key, val;
};

struct slots {
  ARRAY_HEADER
  struct node REFERENCE *items[];
};

DESCRIBE_OBJECT(node, next);
DESCRIBE_REFERENCE_ARRAY(slots);

static struct node REFERENCE *new_node(struct node REFERENCE *next, uint32_t key, uint32_t val) {
  struct node REFERENCE *node = NEW(node);
  node->next = next;
  node->key = key;
  node->val = val;
  return node;
}

static void drop(struct node REFERENCE *list) {
  while (MEMORY_IS_EXPLICIT && list != NULL) {
    struct node REFERENCE *next = list->next;
    DROP(list);
    list = next;
  }
}

static struct slots REFERENCE *fill(uint32_t length) {
  struct slots REFERENCE *slots = NEW_REFERENCE_ARRAY(slots, length);
  for (uint32_t i = 0; i < length; i++)
    slots->items[i] = new_node(NULL, i, 0);
  return slots;
}

static void operate(struct slots REFERENCE *slots, uint32_t slot, uint32_t x, uint32_t k) {
  enum { CUTS = 3 << 20 };
  struct node REFERENCE *old = slots->items[slot];
  drop(old->next);
  if ((x & CUTS) == 0) {
    old->next = new_node(NULL, x >> 1, k);
  } else {
    old->next = NULL;
    slots->items[slot] = new_node(old, x >> 1, k);
  }
}

static uint32_t checksum(const struct slots REFERENCE *slots, uint32_t length) {
  uint32_t h = 0;
  for (uint32_t i = 0; i < length; i++)
    for (const struct node REFERENCE *node = slots->items[i]; node != NULL; node = node->next)
      h = h * 31 + (node->key + node->val);
  return h;
}

static uint64_t run(const uint64_t *arguments) {
  uint32_t length = UINT32_C(1) << arguments[0], operations = (uint32_t)arguments[1],
           x = RANDOM_SEED;
  struct slots REFERENCE *slots = fill(length);
  stall_begin();
  for (uint32_t k = 1; k <= operations; k++) {
    x = random_after(x);
    operate(slots, x & (length - 1), x, k);
    if (k % STALL_OPERATIONS == 0)
      stall_step();
  }
  uint32_t sum = checksum(slots, length);
  for (uint32_t i = 0; MEMORY_IS_EXPLICIT && i < length; i++)
    drop(slots->items[i]);
  DROP(slots);
  return sum;
}

const struct workload mutation = {
    .name = "w3",
    .parameters = {{"slots-log2", 20, 0, 28}, {"operations", 20000000, 0, UINT32_MAX - 1}},
    .known = {{{20, 20000000}, 3959656909}},
    .run = run,
};
