/* refused: an interior pointer is stored in a local variable */
#include "refused.h"

void advance(long MANAGED **cursor);

long sum(struct node MANAGED *node) {
  long MANAGED *cursor;
  cursor = &node->number; /* at: 'cursor' */
  advance(&cursor);
  return *cursor;
}
