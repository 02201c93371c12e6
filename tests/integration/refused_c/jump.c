/* refused: a call that returns twice */
#include <setjmp.h>

#include "refused.h"

static jmp_buf place;
long walk(struct node SPGC_MANAGED *node) {
  return node == NULL ? 0 : node->number + walk(node->next);
}

long start(void) {
  if (setjmp(place) != 0) /* at: */
    return -1;
  return walk(NULL);
}
