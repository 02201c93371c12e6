/* refused: a reference is stored in a global variable */
#include "refused.h"

static _Thread_local char own[8] __attribute__((aligned(8)));

void keep(struct node SPGC_MANAGED *node) {
  *(struct node SPGC_MANAGED **)own = node; /* at: */
}
