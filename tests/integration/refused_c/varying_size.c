/* refused: a local variable of varying size holds references */
#include "refused.h"

void fill(struct node SPGC_MANAGED **nodes, int count);

long first_of(int count) {
  struct node SPGC_MANAGED *nodes[count]; /* at: 'nodes' */
  fill(nodes, count);
  return nodes[0]->number;
}
