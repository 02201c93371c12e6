/* refused: a leaf makes calls that may reach safepoints */
#include "refused.h"

SPGC_LEAF __attribute__((noinline)) static long sum(struct node SPGC_MANAGED *list) { /* at: */
  struct node SPGC_MANAGED *made = spgc_allocate(&node_type);
  return list->number + made->number;
}

long twice(struct node SPGC_MANAGED *list) {
  return 2 * sum(list);
}
