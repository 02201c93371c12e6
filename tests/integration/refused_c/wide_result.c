/* refused: a result of a statepoint that does not fit the registers */
#include "refused.h"

typedef long wide __attribute__((vector_size(128)));

wide measure(struct node SPGC_MANAGED *node);

long first(struct node SPGC_MANAGED *node) {
  wide all = measure(node); /* at: */
  return all[0] + node->number;
}
