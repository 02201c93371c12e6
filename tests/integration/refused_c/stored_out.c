/* refused: a word that may be a reference is copied through an ordinary pointer */
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
