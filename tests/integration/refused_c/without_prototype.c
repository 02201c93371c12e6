/* refused: in C, write (void) for none */
#include "refused.h"

long count();

long both(struct node SPGC_MANAGED *list) {
  return list->number + count(); /* at: 'both' */
}
