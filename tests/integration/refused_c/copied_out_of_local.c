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

/* Promotion makes a reference of the word that is read as one. */
long get(struct box SPGC_MANAGED *box, struct value *out) {
  struct value value = box->value;
  long number = value.tag != 0 ? value.node->number : value.number;
  *out = value; /* at: */
  return number;
}
