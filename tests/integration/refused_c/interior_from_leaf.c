/* refused: an interior pointer is returned */
#include "refused.h"

SPGC_LEAF __attribute__((noinline)) static long SPGC_MANAGED *
number_of(struct node SPGC_MANAGED *node) {
  return &node->number; /* at: 'node' */
}

long number(struct node SPGC_MANAGED *node) {
  return *number_of(node);
}
