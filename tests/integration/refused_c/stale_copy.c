/* refused: a local copy of a part of an object is used after a safepoint */
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

void collect(void);

void copy(struct box SPGC_MANAGED *from, struct box SPGC_MANAGED *to) {
  struct value value = from->value;
  collect();
  to->value = value; /* at: 'value' */
}
