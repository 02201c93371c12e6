/* refused: a leaf makes a call that may reach a safepoint */
#include "refused.h"

#include <stdio.h>

SPGC_LEAF __attribute__((noinline)) static long sum(struct node SPGC_MANAGED *list) {
  printf("%ld\n", list->number);
  struct node SPGC_MANAGED *made = spgc_allocate(&node_type); /* at: 'sum' */
  return list->number + made->number;
}

long twice(struct node SPGC_MANAGED *list) {
  return 2 * sum(list);
}
