/* refused: the type descriptor 'node_type' cannot be used: its descriptor lists an offset that is
 * unaligned */
#include "../managed_c/managed.h"

struct node {
  const struct spgc_type *type;
  int number;
  struct node MANAGED *next;
} __attribute__((packed));

static const uint32_t references[] = {OFFSET(struct node, next)};
static const struct spgc_type node_type = {
    .size = 24, .reference_count = 1, .reference_offsets = references, .name = "node"};

struct node MANAGED *make(int number) {
  struct node MANAGED *node = spgc_allocate(&node_type); /* at: */
  node->number = number;
  return node;
}
