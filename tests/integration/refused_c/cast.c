/* refused: a cast between a reference and an ordinary pointer */
#include "refused.h"

long *plain(struct node SPGC_MANAGED *node) {
  long before = node->number;
  return (long *)node + before; /* at: 'node' */
}
