/* refused: a reference is read or written at a place that is declared as a number */
#include "refused.h"

struct value {
  int tag;
  union {
    long number;
    struct node SPGC_MANAGED *node;
  };
};

void set(struct value *out, struct node SPGC_MANAGED *node) {
  out->tag = 1;
  out->node = node; /* at: */
}
