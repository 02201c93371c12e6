/* refused: an interior pointer is returned */
#include "refused.h"

long SPGC_MANAGED *number_of(struct node SPGC_MANAGED *node) {
  return &node->number; /* at: 'node' */
}
