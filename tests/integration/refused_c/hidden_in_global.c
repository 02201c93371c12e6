/* refused: a reference is stored in a global variable whose type does not show it */
#include "refused.h"

struct value {
  union {
    long number;
    struct node SPGC_MANAGED *node;
  };
};

static struct value stack[64];

struct value *push(struct node SPGC_MANAGED *node) {
  stack[3].node = node; /* at: 'node' */
  return stack;
}
