/* refused: a word that may be a reference is copied through an ordinary pointer */
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

void get(struct box SPGC_MANAGED *box, struct value *out) {
  *out = box->value; /* at: 'box' */
}
