/* refused: a cast between a reference and an ordinary pointer */
#include "refused.h"

long *plain(struct node MANAGED *node) {
  long before = node->number;
  return (long *)node + before; /* at: 'node' */
}
