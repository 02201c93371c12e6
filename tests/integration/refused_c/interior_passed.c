/* refused: an interior pointer is passed */
#include "refused.h"

void increment(struct node SPGC_MANAGED *owner, long SPGC_MANAGED *number);

void visit(struct node SPGC_MANAGED *first, struct node SPGC_MANAGED *second) {
  increment(first, /* at: 'second' */
            &second->number);
}
