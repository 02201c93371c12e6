/* refused: the C library keeps elements in memory of its own while it compares */
#include "refused.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
  struct node SPGC_MANAGED *const *left = a, *const *right = b;
  return (int)((*left)->number - (*right)->number);
}

void sort(struct node SPGC_MANAGED **nodes, size_t count) {
  qsort(nodes, /* at: */
        count, sizeof *nodes, compare);
}
