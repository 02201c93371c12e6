/* refused: a part of an object's address is stored in an object */
#include "refused.h"

struct halves {
  const struct spgc_type *type;
  unsigned low, high;
};

void take_apart(struct halves SPGC_MANAGED *halves, struct node SPGC_MANAGED *node) {
  unsigned long address = (unsigned long)node;
  unsigned low = (unsigned)address, high = (unsigned)(address >> 32);
  halves->low = low;
  halves->high = high; /* at: 'halves' */
}
