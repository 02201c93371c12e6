/* refused: an interior pointer is returned */
#include "refused.h"

long MANAGED *number_of(struct node MANAGED *node) {
  return &node->number; /* at: 'node' */
}
