/* refused: sort indices, or write the sort; or make the comparison a leaf */
#include "refused.h"

#include <stdlib.h>

enum { NODES = 8 };

void sort(struct node SPGC_MANAGED *first, int (*compare)(const void *a, const void *b)) {
  struct node SPGC_MANAGED *nodes[NODES];
  for (int i = 0; i < NODES; i++, first = first->next)
    nodes[i] = first;
  qsort(nodes, /* at: */
        NODES, sizeof *nodes, compare);
}
