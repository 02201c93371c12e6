/* refused: variable arguments are in memory that the collector does not see */
#include "refused.h"

void print_all(int count, ...);

void print(struct node SPGC_MANAGED *node) {
  print_all(1, /* at: */
            node->next);
}
