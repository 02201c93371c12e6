/* refused: an interior pointer is stored in a local variable */
#include "refused.h"

void advance(long SPGC_MANAGED **cursor);

long sum(struct node SPGC_MANAGED *node) {
  long SPGC_MANAGED *cursor;
  cursor = &node->number; /* at: 'cursor' */
  advance(&cursor);
  return *cursor;
}
