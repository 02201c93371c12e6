/* refused: a local variable holds a reference at a place that its type does not show */
#include "refused.h"

struct value {
  int tag;
  union {
    long number;
    struct node SPGC_MANAGED *node;
  };
};

struct box {
  const struct spgc_type *type;
  struct value value;
};

long get(struct box SPGC_MANAGED *box, struct value *out) {
  struct value value = box->value;
  long number = 0;
  if (value.tag != 0)
    number = value.node->number; /* at: 'value' */
  *out = value;
  return number;
}
