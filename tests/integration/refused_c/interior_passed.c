/* refused: an interior pointer is passed */
#include "refused.h"

void increment(struct node MANAGED *owner, long MANAGED *number);

void visit(struct node MANAGED *first, struct node MANAGED *second) {
  increment(first, /* at: 'second' */
            &second->number);
}
