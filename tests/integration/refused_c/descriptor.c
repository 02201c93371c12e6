/* refused: the type descriptor 'node_type' cannot be used: its descriptor lists an offset that is
 * unaligned */
#include "spgc/managed.h"

struct node {
  const struct spgc_type *type;
  int number;
  struct node SPGC_MANAGED *next;
} __attribute__((packed));

static const uint32_t references[] = {SPGC_OFFSET(struct node, next)};
static const struct spgc_type node_type = {
    .size = 24, .reference_count = 1, .reference_offsets = references, .name = "node"};

struct node SPGC_MANAGED *make(int number) {
  struct node SPGC_MANAGED *node = spgc_allocate(&node_type); /* at: */
  node->number = number;
  return node;
}
